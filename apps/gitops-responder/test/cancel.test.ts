import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { GitOpsResponderConfig, type EventResponseStatus } from '@interlock/api';
import { eventually } from '@interlock/kube/testing';
import { configNamespace } from './harness/responder-process.js';
import type { ScmName } from '@interlock/stack';
import type { Target } from './harness/target.js';
import { Fixture } from './harness/fixture.js';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await Fixture.start();
});
afterAll(() => fixture.close());

const change = { path: 'a.txt', contents: 'b\n' };
const cancelled = { phase: 'Cancelled', cancelReason: 'a false alarm' } as const;

async function opened(): Promise<{ target: Target; name: string }> {
  const target = await fixture.target({ 'a.txt': 'a\n' });
  await fixture.route(target.route());
  const name = await fixture.respond(target.actionRef, change);
  await fixture.statusIs(name, ({ phase }) => expect(phase).toBe('Succeeded'));
  return { target, name };
}

/** Makes the forge refuse calls of the responder with this method and path. */
function forbid({ login, fullName }: Target, method: string, path: string, message: string) {
  const match = { actor: login, path: `*/repos/${fullName}/${path}`, method };
  return fixture.platform.forge.faults.add({ match, status: 403, times: 100, body: { message } });
}

const isClosed = (status: EventResponseStatus): void =>
  expect(status).toMatchObject({ phase: 'Cancelled', changeRequest: { state: 'closed' } });

it('does not report a merged pull request as closed', async () => {
  const { target, name } = await opened();
  await target.user.merge(target.fullName, 1);
  const comments = fixture.platform.forge.faults.add({
    match: { actor: target.login, path: `*/repos/${target.fullName}/issues/1/comments`, method: 'POST' },
    latencyMs: 1,
  });
  await fixture.mark(name, cancelled);
  const status = await fixture.statusIs(name, ({ stage }) => expect(stage).toBe('Merged'));
  expect(status).toMatchObject({ phase: 'Cancelled', changeRequest: { state: 'merged' } });
  expect(comments.hits).toBe(0);
});

it('closes a pull request on which comments are refused', async () => {
  const { target, name } = await opened();
  const message = 'Unable to create comment because issue is locked.';
  const refused = forbid(target, 'POST', 'issues/1/comments', message);
  await fixture.mark(name, cancelled);
  const { conditions } = await fixture.statusIs(name, isClosed);
  expect(refused.hits).toBeGreaterThan(0);
  expect(conditions).toContainEqual(
    expect.objectContaining({
      type: 'CleanedUp',
      reason: 'NotCleanedUp',
      message: expect.stringContaining(message),
    }),
  );
  expect(await target.pulls()).toMatchObject([{ state: 'closed' }]);
  expect(await target.branches()).toEqual([]);
});

it('closes the pull request of a branch whose deletion is refused', async () => {
  const { target, name } = await opened();
  const refused = forbid(target, 'DELETE', 'git/refs/*', 'the branch is protected');
  await fixture.mark(name, cancelled);
  await fixture.statusIs(name, isClosed);
  expect(refused.hits).toBe(1);
});

/** Interrupts an attempt after its branch, and before its pull request. */
async function interrupted(): Promise<{ target: Target; name: string }> {
  const target = await fixture.target({ 'a.txt': 'a\n' });
  await fixture.route(target.route());
  fixture.platform.forge.faults.add({
    match: { actor: target.login, path: '*/pulls', method: 'POST' },
    cutBeforeResponse: true,
    onHit: () => fixture.responder.kill(),
  });
  const name = await fixture.respond(target.actionRef, change);
  await eventually(() => expect(fixture.responder.isKilled).toBe(true));
  expect(await target.branches()).toHaveLength(1);
  return { target, name };
}

/** Cancels a response whose attempt was interrupted, and returns its status after the second search. */
async function cancelInterrupted(name: string): Promise<EventResponseStatus> {
  await fixture.mark(name, cancelled);
  await fixture.restart();
  await fixture.statusIs(name, ({ nextAttemptAt }) => expect(nextAttemptAt).toBeDefined());
  await fixture.later(61_000);
  return fixture.statusIs(name, ({ phase, completedAt }) => {
    expect(phase).toBe('Cancelled');
    expect(completedAt).toBeDefined();
  });
}

it('removes the branch of an attempt that was interrupted before its pull request', async () => {
  const { target, name } = await interrupted();
  await cancelInterrupted(name);
  expect(await target.branches()).toEqual([]);
  expect(await target.pulls()).toEqual([]);
});

it('ends although the removal of the branch of an interrupted attempt is refused, and reports that', async () => {
  const { target, name } = await interrupted();
  const refused = forbid(target, 'DELETE', 'git/refs/*', 'the branch is protected');
  const { conditions } = await cancelInterrupted(name);
  expect(refused.hits).toBe(1);
  expect(conditions).toContainEqual(
    expect.objectContaining({
      type: 'CleanedUp',
      reason: 'NotCleanedUp',
      message: expect.stringContaining('the branch is protected'),
    }),
  );
});

it.each<[ScmName, string]>([
  ['github', '*/pulls'],
  ['gitlab', '*/merge_requests'],
])('closes a pull request at %s that its server did not list at first', async (scm, path) => {
  const target = await fixture.target({ 'a.txt': 'a\n' }, scm);
  await fixture.route(target.route());
  const { faults } = fixture.platform.forge;
  const match = { actor: target.login, path };
  faults.add({
    match: { ...match, method: 'POST' },
    cutAfterEffect: true,
    onHit: () => fixture.responder.kill(),
  });
  const name = await fixture.respond(target.actionRef, change);
  await eventually(() => expect(fixture.responder.isKilled).toBe(true));
  expect(await target.pulls()).toMatchObject([{ state: 'open' }]);
  await fixture.mark(name, cancelled);
  const outdated = faults.add({ match: { ...match, method: 'GET' }, status: 200, body: [], times: 2 });
  await fixture.restart();
  await fixture.statusIs(name, ({ nextAttemptAt }) => expect(nextAttemptAt).toBeDefined());
  expect(outdated.hits).toBe(2);
  expect(await target.branches()).toHaveLength(1);
  await fixture.later(61_000);
  await fixture.statusIs(name, isClosed);
  expect(await target.pulls()).toMatchObject([{ state: 'closed' }]);
  expect(await target.branches()).toEqual([]);
});

it('retries the closing of a pull request only at the reported times, until it succeeds', async () => {
  const { target, name } = await opened();
  let asked = 0;
  const refused = fixture.platform.forge.faults.add({
    match: { actor: target.login, path: `*/repos/${target.fullName}/pulls/1` },
    status: 502,
    times: 1000,
    onHit: () => void (asked += 1),
  });
  await fixture.mark(name, cancelled);
  const waiting = await fixture.statusIs(name, ({ nextAttemptAt }) => expect(nextAttemptAt).toBeDefined());
  expect(waiting).toMatchObject({ phase: 'Cancelled', error: { type: 'Transient' } });
  await fixture.responder.rest();
  const before = asked;
  await fixture.mark(name, { evidence: [{ mediaType: 'text/plain', url: 'https://example.com/1' }] });
  await fixture.responder.rest();
  expect(asked).toBe(before);
  refused.remove();
  await fixture.later(60_000);
  const status = await fixture.statusIs(name, isClosed);
  expect(status.error).toBeUndefined();
});

it('waits while no route names the repository any longer', async () => {
  const { target, name } = await opened();
  const { client } = fixture.platform;
  const key = { name: 'default', namespace: configNamespace };
  const { spec } = await client.get(GitOpsResponderConfig, key);
  const provider = { kind: 'noop', repository: 'a/b', baseBranch: 'main' } as const;
  await fixture.configure({ routes: [{ provider }] });
  await fixture.mark(name, cancelled);
  await fixture.statusIs(name, ({ error }) => expect(error?.reason).toBe('RouteRemoved'));
  await fixture.configure(spec);
  await fixture.later(301_000);
  await fixture.statusIs(name, isClosed);
  expect(await target.pulls()).toMatchObject([{ state: 'closed' }]);
});
