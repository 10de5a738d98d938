import { EventResponse } from '@interlock/api';
import { Event } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { tracing } from '@opentelemetry/sdk-node';
import { Fixture } from './harness/fixture.js';

const { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } = tracing;
const spans = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });

let fixture: Fixture;
beforeAll(async () => {
  fixture = await Fixture.start({ tracer: provider.getTracer('gitops-responder') });
});
afterAll(async () => {
  await fixture.close();
  await provider.shutdown();
});

const prefix = 'ugallu_gitops_responder';
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';

it('counts, reports and traces its actions', async () => {
  const target = await fixture.target({ 'a.txt': 'a\n' });
  await fixture.route(target.route());
  await fixture.event('se-1', { traceparent: `00-${traceId}-${spanId}-01` });
  const match = { actor: target.login, path: `*/pulls`, method: 'POST' };
  fixture.platform.forge.faults.add({ match, status: 502, body: { message: 'not now' } });
  const retryPolicy = { maxAttempts: 3, backoffStrategy: 'Fixed', initialDelay: '5s' } as const;
  const name = await fixture.respond(
    target.actionRef,
    { path: 'a.txt', contents: 'b\n' },
    { securityEventRef: { name: 'se-1' }, retryPolicy },
  );
  await fixture.statusIs(name, ({ nextAttemptAt }) => expect(nextAttemptAt).toBeDefined());
  await fixture.later(6_000);
  await fixture.statusIs(name, ({ phase }) => expect(phase).toBe('Succeeded'));
  await fixture.responder.rest();
  await target.user.merge(target.fullName, 1);
  await fixture.later(3_600_000);
  await fixture.statusIs(name, ({ stage }) => expect(stage).toBe('Merged'));
  const missed = await fixture.respond('nobody-knows-it', { path: 'a.txt', contents: 'b\n' });
  await fixture.statusIs(missed, ({ phase }) => expect(phase).toBe('Pending'));
  await fixture.responder.rest();

  const { metric } = fixture.responder;
  expect(await metric(`${prefix}_attempts_total`, { outcome: 'transient' })).toBe(1);
  expect(await metric(`${prefix}_attempts_total`, { outcome: 'submitted' })).toBe(1);
  expect(await metric(`${prefix}_attempts_total`)).toBe(2);
  expect(await metric(`${prefix}_dispatches_total`, { provider: 'github-app', outcome: 'ActionTaken' })).toBe(
    1,
  );
  expect(await metric(`${prefix}_dispatches_total`)).toBe(1);
  expect(await metric(`${prefix}_routing_misses_total`)).toBe(1);
  const merged = { provider: 'github-app' };
  expect(await metric(`${prefix}_time_to_merge_seconds`, { ...merged, le: '600' })).toBe(0);
  expect(await metric(`${prefix}_time_to_merge_seconds`, { ...merged, le: '14400' })).toBe(1);

  const { metadata } = await fixture.platform.client.get(EventResponse, { name });
  await eventually(async () => {
    const { items } = await fixture.platform.client.list(Event);
    const reported = items
      .filter(({ regarding }) => regarding?.uid === metadata.uid)
      .map(({ type, reason }) => `${type} ${reason}`);
    expect(reported).toEqual(
      expect.arrayContaining(['Normal Routed', 'Normal Planned', 'Normal Submitted', 'Normal Merged']),
    );
    const missing = items.filter(({ regarding }) => regarding?.name === missed);
    expect(missing).toMatchObject([{ type: 'Warning', reason: 'NoRoute' }]);
  });

  const attempts = spans
    .getFinishedSpans()
    .filter(({ attributes }) => attributes['interlock.response.name'] === name);
  expect(attempts.map(({ attributes }) => attributes['interlock.attempt.outcome'])).toEqual([
    'transient',
    'submitted',
  ]);
  for (const span of attempts) {
    expect(span.spanContext().traceId).toBe(traceId);
    expect(span.parentSpanContext).toMatchObject({ spanId, isRemote: true });
    expect(span.attributes).toMatchObject({
      'interlock.provider': 'github-app',
      'interlock.repository': target.fullName,
    });
  }
});
