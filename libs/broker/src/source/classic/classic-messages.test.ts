import { afterEach, describe, expect, test } from '@jest/globals';
import type { ServiceFaultEffect } from '@interlock/actions-service';
import { TypedError } from '@interlock/api';
import { createHttpClient } from '../../http/http-client.js';
import { ClassicFixture, job, type FixtureOptions } from '../../testing/classic-fixture.js';
import { clientOf, send } from '../../testing/http.js';

let fixture: ClassicFixture;

async function start(options: FixtureOptions = {}): Promise<ClassicFixture> {
  fixture = await ClassicFixture.start(options);
  return fixture;
}

/** Returns a message in the form in which the broker sends it as the answer to a poll. */
const message = (messageType: string, body: object = {}): ServiceFaultEffect => ({
  kind: 'status',
  status: 200,
  body: { messageId: 1, messageType, body: JSON.stringify(body) },
});

const calls = (route: string) => fixture.service.journal.entries({ route });
const registrations = () =>
  fixture.service.journal.entries().filter(({ route }) => route.endsWith('/generate-jitconfig'));
const events = (type: 'job-acknowledged') => fixture.service.events.entries({ type });

afterEach(async () => {
  await fixture.close();
  expect(fixture.service.violations).toEqual([]);
});

describe('a classic source', () => {
  test('acknowledges a delivery before it claims the job', async () => {
    const { service } = await start();
    service.enqueue(job);
    const recorder = await fixture.open();
    await recorder.claimJob();
    expect(events('job-acknowledged')).toHaveLength(1);
    const [acknowledged] = calls('/broker/acknowledge');
    const [claimed] = calls('/run/{shard}/acquirejob');
    expect(acknowledged?.seq).toBeLessThan(claimed?.seq ?? 0);
  });

  test.each<[string, ServiceFaultEffect]>([
    ['is refused', { kind: 'status', status: 500 }],
    ['is cut off', { kind: 'reset' }],
  ])('claims a job whose acknowledgement %s', async (_name, effect) => {
    const { service } = await start();
    service.enqueue(job);
    fixture.fail('/broker/acknowledge', effect);
    const recorder = await fixture.open();
    expect((await recorder.claimJob()).claim.mode).toBe('payload');
  });

  test('does not acknowledge a delivery if the service does not request it', async () => {
    const { service } = await start({ service: { dialect: 'seed' } });
    service.enqueue(job);
    const recorder = await fixture.open();
    await recorder.claimJob();
    expect(calls('/broker/acknowledge')).toEqual([]);
  });

  test('exchanges its token again when the broker requests it', async () => {
    const { service } = await start({ maxListeners: 1 });
    fixture.fail('/broker/message', message('ForceTokenRefresh'));
    await fixture.open();
    const exchanges = (): number => service.journal.entries({ base: 'token' }).length;
    await fixture.forwardUntil(() => exchanges() === 2, 'another exchange');
    expect(service.runners()).toHaveLength(1);
  });

  test('continues at the address that the broker names, on an allowed host', async () => {
    const { service } = await start();
    fixture.fail('/broker/message', message('BrokerMigration', { brokerBaseUrl: service.urls.broker }));
    const recorder = await fixture.open();
    service.enqueue(job);
    await fixture.forwardUntil(() => recorder.of('offered')[0], 'an offer');
  });

  test('ends its session at the old address before it continues at the new address', async () => {
    const { service } = await start({ maxListeners: 1, broker: { allowedHosts: ['localhost'] } });
    const brokerBaseUrl = service.urls.broker.replace('127.0.0.1', 'localhost');
    fixture.fail('/broker/message', message('BrokerMigration', { brokerBaseUrl }));
    const recorder = await fixture.open();
    service.enqueue(job);
    await fixture.forwardUntil(() => recorder.of('offered')[0], 'an offer');
    const methods = calls('/broker/session').map(({ method, status }) => `${method} ${status}`);
    /* The runner that replaces the one with the offer may have created its session already. */
    expect(methods.slice(0, 3)).toEqual(['POST 201', 'DELETE 204', 'POST 201']);
  });

  test('pauses before each move after the first while two addresses name each other', async () => {
    const { service } = await start({ maxListeners: 1, broker: { allowedHosts: ['localhost'] } });
    const first = service.urls.broker;
    const second = first.replace('127.0.0.1', 'localhost');
    for (const brokerBaseUrl of [second, first, second, first])
      fixture.fail('/broker/message', message('BrokerMigration', { brokerBaseUrl }));
    await fixture.open();
    const polls = () => calls('/broker/message');
    await fixture.forwardUntil(() => polls().length >= 4, 'four requests to move', 250);
    const times = polls().map(({ at }) => at);
    const pauses = times.slice(2, 4).map((time, index) => time - (times[index + 1] ?? 0));
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(5_000);
  });

  test('does not follow the broker to a host that is not allowed', async () => {
    const { service } = await start();
    const elsewhere = 'https://broker.elsewhere.example/';
    fixture.fail('/broker/message', message('BrokerMigration', { brokerBaseUrl: elsewhere }));
    const recorder = await fixture.open();
    service.enqueue(job);
    await fixture.forwardUntil(() => recorder.of('offered')[0], 'an offer');
    expect(JSON.stringify(recorder.of('health'))).not.toContain('token=');
  });

  test.each([
    ['of a type that it does not know', message('SomethingNew', { a: 1 })],
    ['that offers another version of the runner', message('RunnerRefresh', { target_version: '3.0.0' })],
    ['that offers another version of the agent', message('AgentRefresh', { targetVersion: '3.0.0' })],
    ['that offers another configuration', message('RunnerRefreshConfig', { configType: 'runner' })],
    ['that ends its session', message('RunnerShutdown')],
  ])('continues after a message %s', async (_name, effect) => {
    const { service } = await start();
    fixture.fail('/broker/message', effect);
    const recorder = await fixture.open();
    service.enqueue(job);
    await fixture.forwardUntil(() => recorder.of('offered')[0], 'an offer');
  });

  test('waits for the session of a process that was killed, and reports a session that remains', async () => {
    const { service } = await start();
    const conflict: ServiceFaultEffect = { kind: 'status', status: 409, body: { message: 'conflict' } };
    fixture.fail('/broker/session', conflict, 3);
    const recorder = await fixture.open();
    service.enqueue(job);
    await fixture.forwardUntil(() => recorder.of('offered')[0], 'an offer', 5_000);
    expect(calls('/broker/session').filter(({ status }) => status === 409)).toHaveLength(3);
  });

  test('does not report the session of an earlier process that it deletes', async () => {
    const { service } = await start();
    fixture.fail('/broker/session', { kind: 'status', status: 409 });
    const recorder = await fixture.open();
    service.enqueue(job);
    await fixture.forwardUntil(() => recorder.of('offered')[0], 'an offer', 5_000);
    expect(calls('/broker/session').filter(({ status }) => status === 409)).toHaveLength(1);
    expect(recorder.of('health').map(({ health }) => health.state)).toEqual(['polling']);
  });

  test('reports a session that another process keeps, and rarely tries other runners', async () => {
    await start({ maxListeners: 1 });
    fixture.fail('/broker/session', { kind: 'status', status: 409 }, Infinity);
    const recorder = await fixture.open();
    const isHeld = () => recorder.of('health').find(({ health }) => health.state === 'sessionHeld');
    await fixture.forwardUntil(isHeld, 'the report', 5_000);
    const startedAt = fixture.clock.monotonic();
    await fixture.forwardUntil(
      () => fixture.clock.monotonic() - startedAt > 30 * 60_000,
      'half an hour',
      20_000,
    );
    expect(calls('/broker/session').length).toBeLessThan(2 * 70);
    expect(registrations().length).toBeLessThan(10);
  });

  test('reports that it is refused, and rarely registers other runners', async () => {
    const { service } = await start({ maxListeners: 1 });
    fixture.fail('/broker/message', { kind: 'unauthorized' }, Infinity);
    const recorder = await fixture.open();
    const isRefused = () => recorder.of('health').find(({ health }) => health.state === 'unauthorized');
    await fixture.forwardUntil(isRefused, 'the report', 5_000);
    const startedAt = fixture.clock.monotonic();
    await fixture.forwardUntil(
      () => fixture.clock.monotonic() - startedAt > 30 * 60_000,
      'half an hour',
      20_000,
    );
    expect(registrations().length).toBeLessThan(40);
    /* Each exchanges its token twice: another token might be accepted. */
    expect(service.journal.entries({ base: 'token' }).length).toBeLessThanOrEqual(2 * registrations().length);
  });

  test('replaces a runner that an administrator deletes', async () => {
    const { service } = await start({ maxListeners: 1, service: { timings: { pollHold: 100 } } });
    const recorder = await fixture.open();
    await fixture.forwardUntil(() => recorder.source.sessions === 1, 'a session');
    expect(service.deleteRunner(service.runners()[0]!.id)).toBe(true);
    service.enqueue(job);
    await fixture.forwardUntil(() => recorder.of('offered')[0], 'an offer', 5_000);
  });

  test.each<[string, ServiceFaultEffect]>([
    ['is not answered', { kind: 'hang' }],
    ['is answered byte by byte', { kind: 'slow-body' }],
  ])('gives up a poll that %s', async (_name, effect) => {
    const { service } = await start({ maxListeners: 1, timings: { pollTimeoutMs: 300 } });
    fixture.fail('/broker/message', effect);
    const recorder = await fixture.open();
    service.enqueue(job);
    await fixture.forwardUntil(() => recorder.of('offered')[0], 'an offer', 10_000);
  });

  test('reports that it cannot create a session when the service does not answer', async () => {
    const http = createHttpClient();
    const hanging = clientOf(
      async (call, signal) => {
        const isCreation = call.method === 'POST' && call.url.pathname.endsWith('/session');
        if (!isCreation) return send(http, call, signal);
        fixture.clock.forward(30_000);
        throw new TypedError('Transient', 'the service has not answered', { reason: 'Timeout' });
      },
      () => http.close(),
    );
    await start({ maxListeners: 1, broker: { http: hanging } });
    const recorder = await fixture.open();
    const failure = () => recorder.of('health').find(({ health }) => health.state === 'failing');
    const { health } = await fixture.forwardUntil(failure, 'a failure');
    expect(health.message).toBe('the service has not answered');
  });

  test('registers again when the API refuses its token once, or limits its calls', async () => {
    const { service } = await start();
    const register = '*/generate-jitconfig';
    for (const effect of [
      { kind: 'unauthorized' },
      { kind: 'secondary-limit', seconds: 30 },
      { kind: 'primary-limit', seconds: 60 },
    ] as const)
      fixture.fail(register, effect);
    const recorder = await fixture.open();
    service.enqueue(job);
    await fixture.forwardUntil(() => recorder.of('offered')[0], 'an offer', 5_000);
    const states = recorder.of('health').map(({ health }) => health.state);
    expect(states).toContain('rateLimited');
    expect(states.at(-1)).toBe('polling');
  });

  test('has as many sessions as requested, and ends the others', async () => {
    const { service } = await start({ maxListeners: 1 });
    const recorder = await fixture.open();
    const { source } = recorder;
    await fixture.forwardUntil(() => source.sessions === 1, 'one session');
    source.setMaxListeners(3);
    for (let n = 0; n < 3; n++) service.enqueue(job);
    await fixture.forwardUntil(
      () => recorder.of('offered').length === 3 && source.sessions > 1,
      'more sessions',
    );
    source.setMaxListeners(1);
    await fixture.forwardUntil(() => source.sessions === 1, 'one session again', 10_000);
  });

  test('replaces waiting runners with runners that have the new labels, once', async () => {
    const { service } = await start({ maxListeners: 1 });
    const recorder = await fixture.open();
    const { source } = recorder;
    await fixture.forwardUntil(() => source.sessions === 1, 'a session');
    source.setLabels(['linux', 'self-hosted']);
    expect(source.sessions).toBe(1);
    source.setLabels(['self-hosted', 'gpu']);
    service.enqueue({ ...job, labels: ['gpu'] });
    await fixture.forwardUntil(() => recorder.of('offered')[0], 'an offer for the new label', 10_000);
    const isNew = ({ labels }: { labels: string[] }): boolean => labels.includes('gpu');
    await fixture.forwardUntil(() => service.runners().every(isNew), 'the old runner to leave', 10_000);
  });

  test('removes the runners of the owner that gitHubURL named before', async () => {
    const { service } = await start({ maxListeners: 1 });
    await fixture.open();
    await fixture.forwardUntil(() => service.runners()[0]?.session, 'a session');
    await fixture.crash({ githubUrl: `${service.urls.web}/acme/web` });
    await fixture.open();
    const scopes = (): string =>
      service
        .runners()
        .map(({ scope }) => scope)
        .join();
    await fixture.forwardUntil(
      () => scopes() === 'repos/acme/web',
      'the runner of the organization to leave',
    );
  });
});
