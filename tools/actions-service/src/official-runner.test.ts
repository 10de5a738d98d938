import { afterEach, expect, test } from '@jest/globals';
import { field, TestSession } from './testing/client.js';
import { closeHarnesses, startHarness } from './testing/harness.js';

afterEach(closeHarnesses);

const job = { repository: 'acme/web', labels: ['linux'] };

test('a job is one of the run service, so that the runner renews and completes it there', async () => {
  const { service, connect } = await startHarness();
  const session = await connect('r1');
  service.enqueue({ ...job, jobName: 'build' });
  const held = await session.take();
  expect(JSON.parse(held.payload)).toMatchObject({
    messageType: 'RunnerJobRequest',
    plan: { artifactLocation: '', artifactUri: '', planId: held.planId, planType: 'actions', version: 0 },
    timeline: { id: held.planId, changeId: 0, location: null },
    jobName: '__default',
    jobDisplayName: 'build',
  });
});

test('a session and an offer have the fields of GitHub, and no others', async () => {
  const { service, client, token } = await startHarness();
  const runner = await client.register(token, 'r1');
  const access = await client.runnerToken(runner);
  const { json } = await client.createSession(runner, access);
  expect(Object.keys(json).sort()).toEqual(['assignmentQueued', 'orchestrationId', 'ownerName', 'sessionId']);
  service.enqueue(job);
  const answer = await new TestSession(client, runner, access, String(json['sessionId'])).poll();
  const offer = JSON.parse(String(answer.json['body'])) as Record<string, unknown>;
  expect(Object.keys(offer).sort()).toEqual([
    'billing_owner_id',
    'run_service_url',
    'runner_request_id',
    'should_acknowledge',
  ]);
});

test('a poll of a runner that is too old is refused, as its session would be', async () => {
  const { client, connect } = await startHarness();
  const { runner, token, id } = await connect('r1');
  const query = `sessionId=${id}&status=Online&runnerVersion=2.328.9&os=Linux&architecture=X64&disableUpdate=true`;
  const answer = await client.send('GET', `${runner.brokerUrl}message?${query}`, { token });
  expect(answer).toMatchObject({ status: 400, json: { errorKind: 'RunnerVersionTooOld', statusCode: 400 } });
});

test('an acknowledgement has the query of a poll, except for disableUpdate', async () => {
  const { service, client, connect } = await startHarness();
  const session = await connect('r1');
  const { runner, token, id } = session;
  service.enqueue(job);
  const { requestId } = await session.offer();
  const acknowledge = (query: string) =>
    client.send('POST', `${runner.brokerUrl}acknowledge?sessionId=${id}${query}`, {
      token,
      body: { runnerRequestId: requestId },
    });
  const query = '&status=Online&runnerVersion=2.335.1&os=Linux&architecture=X64';
  expect((await acknowledge('')).status).toBe(400);
  expect(service.violations.map(({ rule }) => rule)).toEqual(['malformed-request']);
  expect((await acknowledge(query)).status).toBe(200);
});

test('a JIT configuration names the requested work folder', async () => {
  const { client, token } = await startHarness();
  const workFolder = async (extra: object) => {
    const body = { name: `r-${Object.keys(extra).length}`, runner_group_id: 1, labels: ['linux'], ...extra };
    const { json } = await client.rest('POST', 'orgs/acme/actions/runners/generate-jitconfig', token, body);
    const decoded = (text: unknown): unknown =>
      JSON.parse(Buffer.from(String(text), 'base64').toString('utf8'));
    const files = decoded(json['encoded_jit_config']);
    return field(decoded(field(files, '.runner')), 'WorkFolder');
  };
  expect(await workFolder({})).toBe('_work');
  expect(await workFolder({ work_folder: '_other' })).toBe('_other');
});
