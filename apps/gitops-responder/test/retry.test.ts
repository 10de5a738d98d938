import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { annotations, EventResponse } from '@interlock/api';
import { aborted } from '@interlock/base';
import { Secret } from '@interlock/kube';
import { configNamespace } from './harness/responder-process.js';
import type { Target } from './harness/target.js';
import { Fixture } from './harness/fixture.js';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await Fixture.start();
});
afterAll(() => fixture.close());

const change = { path: 'a.txt', contents: 'b\n' };

/** Refuses the next calls of the responder. */
function refuse(target: Target, status: number, times: number, headers: Record<string, string> = {}): void {
  const match = { actor: target.login, path: `*/repos/${target.fullName}/pulls*` };
  fixture.platform.forge.faults.add({ match, status, times, headers, body: { message: 'not now' } });
}

async function routed(): Promise<Target> {
  const target = await fixture.target({ 'a.txt': 'a\n' });
  await fixture.route(target.route());
  return target;
}

/** Creates a response for which the forge refuses several calls. */
async function refused(
  status: number,
  times: number,
  retryPolicy: EventResponse['spec']['retryPolicy'],
  headers: Record<string, string> = {},
): Promise<{ target: Target; name: string }> {
  const target = await routed();
  refuse(target, status, times, headers);
  return { target, name: await fixture.respond(target.actionRef, change, { retryPolicy }) };
}

/** Waits until a response has succeeded after a number of attempts. */
const succeeds = (name: string, expected: number) =>
  fixture.statusIs(name, ({ phase, attempts }) =>
    expect({ phase, attempts }).toEqual({ phase: 'Succeeded', attempts: expected }),
  );

/** Waits until a response waits for another configuration, with this text in its status. */
const waitsForConfiguration = (name: string, more: object = {}) =>
  fixture.statusIs(name, (status) =>
    expect(status).toMatchObject({ phase: 'Running', attempts: 0, waitingFor: 'Configuration', ...more }),
  );

/** Writes the status and the metadata of a response, as other clients may do at any time. */
async function disturb(name: string): Promise<void> {
  await fixture.mark(name, {
    evidence: [{ mediaType: 'text/plain', url: `https://example.com/${Math.random()}` }],
  });
  await fixture.responder.rest();
}

it('waits for the delay of the policy, however often the status is written, and even across a restart', async () => {
  const target = await routed();
  refuse(target, 502, 100);
  const retryPolicy = {
    maxAttempts: 5,
    backoffStrategy: 'Fixed',
    initialDelay: '40s',
    maxDelay: '1m',
  } as const;
  const name = await fixture.respond(target.actionRef, change, { retryPolicy });
  const first = await fixture.statusIs(name, ({ nextAttemptAt }) => expect(nextAttemptAt).toBeDefined());
  expect(first).toMatchObject({ phase: 'Running', attempts: 1, error: { type: 'Transient' } });
  const waits = Date.parse(first.nextAttemptAt ?? '') - Date.parse(first.lastAttemptAt ?? '');
  expect(waits).toBeGreaterThanOrEqual(40_000);
  await disturb(name);
  await disturb(name);
  await fixture.later(20_000);
  await fixture.restart();
  await disturb(name);
  expect(await fixture.status(name)).toMatchObject({ attempts: 1, nextAttemptAt: first.nextAttemptAt });
  await fixture.later(25_000);
  await fixture.statusIs(name, ({ attempts, nextAttemptAt }) => {
    expect(attempts).toBe(2);
    expect(nextAttemptAt).not.toBe(first.nextAttemptAt);
    expect(nextAttemptAt).toBeDefined();
  });
  fixture.platform.forge.faults.clear();
  await fixture.later(60_000);
  await succeeds(name, 3);
});

it('makes no more attempts than the response allows', async () => {
  const { target, name } = await refused(502, 100, { maxAttempts: 2, backoffStrategy: 'None' });
  const status = await fixture.statusIs(name, ({ phase }) => {
    fixture.clock.forward(10_000);
    expect(phase).toBe('Failed');
  });
  expect(status).toMatchObject({ attempts: 2, error: { type: 'Transient' }, outcome: { type: 'Errored' } });
  expect(await target.pulls()).toEqual([]);
});

it('times out an attempt that takes too long, and then waits for the delay', async () => {
  const target = await routed();
  const hit = new AbortController();
  const release = new AbortController();
  const held = fixture.platform.forge.faults.add({
    match: { actor: target.login, path: `*/repos/${target.fullName}/pulls*` },
    times: 100,
    onHit: async () => {
      hit.abort();
      await aborted(release.signal);
    },
  });
  const retryPolicy = { maxAttempts: 3, backoffStrategy: 'Fixed', initialDelay: '40s' } as const;
  const name = await fixture.respond(target.actionRef, change, { retryPolicy });
  await aborted(hit.signal);
  fixture.clock.forward(91_000);
  const status = await fixture.statusIs(name, ({ nextAttemptAt }) => expect(nextAttemptAt).toBeDefined());
  expect(status).toMatchObject({ attempts: 1, error: { type: 'Transient', reason: 'TimedOut' } });
  held.remove();
  release.abort();
  await fixture.later(41_000);
  await succeeds(name, 2);
});

it('obeys Retry-After, even beyond the longest delay', async () => {
  const retryPolicy = {
    maxAttempts: 3,
    backoffStrategy: 'Fixed',
    initialDelay: '1s',
    maxDelay: '10s',
  } as const;
  const { name } = await refused(503, 20, retryPolicy, { 'retry-after': '900' });
  const { nextAttemptAt, lastAttemptAt } = await fixture.statusIs(name, (status) =>
    expect(status.nextAttemptAt).toBeDefined(),
  );
  expect(Date.parse(nextAttemptAt ?? '') - Date.parse(lastAttemptAt ?? '')).toBeGreaterThanOrEqual(890_000);
});

it('does not retry after 401 until the credential changes, and then retries at once', async () => {
  const target = await routed();
  const metadata = { name: target.secretName, namespace: configNamespace };
  const { client } = fixture.platform;
  const retryPolicy = { maxAttempts: 3, backoffStrategy: 'None', maxDelay: '1h' } as const;
  await client.delete(Secret, metadata);
  const name = await fixture.respond(target.actionRef, change, { retryPolicy });
  const failed = await fixture.statusIs(name, ({ nextAttemptAt }) => expect(nextAttemptAt).toBeDefined());
  expect(failed.error).toMatchObject({ type: 'Unauthorized', reason: 'SecretNotFound' });
  await disturb(name);
  expect(await fixture.status(name)).toMatchObject({ attempts: 0, waitingFor: 'Credential' });
  await fixture.later(2_000);
  await client.apply(Secret, { metadata, stringData: target.secret }, { fieldManager: 'team' });
  await succeeds(name, 1);
});

it('does not fail a response while its credential is refused for a long time', async () => {
  const { name } = await refused(401, 100_000, { maxAttempts: 2, backoffStrategy: 'None' });
  for (let round = 0; round < 6; round += 1) {
    await fixture.statusIs(name, ({ nextAttemptAt, phase }) => {
      expect(phase).toBe('Running');
      expect(Date.parse(nextAttemptAt ?? '')).toBeGreaterThan(fixture.clock.now());
    });
    await fixture.later(301_000);
  }
  fixture.platform.forge.faults.clear();
  await fixture.later(301_000);
  await fixture.statusIs(name, ({ phase }) => expect(phase).toBe('Succeeded'));
});

it('waits while the base branch does not exist, until the configuration names another branch', async () => {
  const target = await fixture.target({ 'a.txt': 'a\n' });
  await fixture.route(target.route({ provider: { ...target.provider, baseBranch: 'trunk' } }));
  const retryPolicy = { maxAttempts: 1, backoffStrategy: 'None' } as const;
  const name = await fixture.respond(target.actionRef, change, { retryPolicy });
  await waitsForConfiguration(name, { error: { reason: 'BaseBranchMissing' } });
  await fixture.route(target.route());
  await fixture.statusIs(name, ({ phase }) => expect(phase).toBe('Succeeded'));
});

it.each([
  ['to list pull requests', { method: 'GET', path: 'pulls*' }],
  ['to read a branch', { method: 'GET', path: 'git/ref/*' }],
  ['to make a commit', { method: 'POST', path: 'git/commits' }],
  ['to open a pull request', { method: 'POST', path: 'pulls' }],
])('waits for a repository at which requests %s are refused as invalid', async (_what, { method, path }) => {
  const target = await routed();
  const match = { actor: target.login, method, path: `*/repos/${target.fullName}/${path}` };
  const body = { message: 'Repository was archived so is read-only.' };
  fixture.platform.forge.faults.add({ match, status: 422, times: 1_000, body });
  const retryPolicy = { maxAttempts: 1, backoffStrategy: 'None' } as const;
  const name = await fixture.respond(target.actionRef, change, { retryPolicy });
  await waitsForConfiguration(name);
  fixture.platform.forge.faults.clear();
  await fixture.later(301_000);
  await fixture.statusIs(name, ({ phase }) => expect(phase).toBe('Succeeded'));
});

it('waits when a template does not fit the event, until the configuration has another template', async () => {
  const target = await fixture.target({ 'a.txt': 'a\n' });
  const titleTemplate = '{{ if .event.signals }}{{ index .event.signals 3 }}{{ end }}';
  await fixture.route(target.route({ titleTemplate }));
  await fixture.event('se-one-signal', { signals: ['exec'] });
  const spec = {
    securityEventRef: { name: 'se-one-signal' },
    retryPolicy: { maxAttempts: 1, backoffStrategy: 'None' },
  } as const;
  const name = await fixture.respond(target.actionRef, change, spec);
  await waitsForConfiguration(name, { error: { reason: 'TemplateInvalid' } });
  await fixture.route(target.route());
  await fixture.statusIs(name, ({ phase }) => expect(phase).toBe('Succeeded'));
});

it('retries a response when a user requests it by the annotation', async () => {
  const target = await routed();
  const ends = () => fixture.responder.metric('ugallu_gitops_responder_dispatches_total');
  const before = await ends();
  const missing = { changes: JSON.stringify([{ op: 'yaml.patch', path: 'b.yaml', merge: { b: 1 } }]) };
  const name = await fixture.respond(target.actionRef, missing);
  await fixture.statusIs(name, ({ phase }) => expect(phase).toBe('Failed'));
  await target.commit('main', { 'a.txt': 'a\n', 'b.yaml': 'a: 1\n' });
  const patch = { metadata: { annotations: { [annotations.responseRetryRequestedAt]: '1' } } };
  const options = { fieldManager: 'person' };
  await fixture.platform.client.patch(EventResponse, { name }, { type: 'merge', patch }, options);
  const status = await fixture.statusIs(name, ({ phase }) => expect(phase).toBe('Succeeded'));
  expect(status).toMatchObject({ stage: 'Submitted', attempts: 1, lastRetryRequest: '1' });
  expect(status.error).toBeUndefined();
  await fixture.responder.rest();
  expect(await ends()).toBe(before + 2);
});

it('lets --max-attempts take precedence over the response', async () => {
  await fixture.restart({ maxAttempts: 1 });
  const target = await routed();
  refuse(target, 502, 100);
  const retryPolicy = { maxAttempts: 9, backoffStrategy: 'None' } as const;
  const name = await fixture.respond(target.actionRef, change, { retryPolicy });
  const status = await fixture.statusIs(name, ({ phase }) => expect(phase).toBe('Failed'));
  expect(status.attempts).toBe(1);
});
