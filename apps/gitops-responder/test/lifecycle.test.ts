import { Secret } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import type { ScmName } from '@interlock/stack';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { configNamespace } from './harness/responder-process.js';
import type { Target } from './harness/target.js';
import { Fixture } from './harness/fixture.js';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await Fixture.start();
});
afterAll(() => fixture.close());

const change = { path: 'a.txt', contents: 'b\n' };
const hourMs = 3_600_000;

async function routed(scm?: ScmName): Promise<Target> {
  const target = await fixture.target({ 'a.txt': 'a\n' }, scm);
  await fixture.route(target.route());
  return target;
}

async function opened(target: Target): Promise<string> {
  const name = await fixture.respond(target.actionRef, change);
  await fixture.statusIs(name, ({ phase }) => expect(phase).toBe('Succeeded'));
  return name;
}

describe.each<[ScmName]>([['github'], ['gitlab'], ['gitea']])('a pull request at %s', (scm) => {
  it('counts again when a user reopens it, and is followed until it is merged', async () => {
    const target = await routed(scm);
    const name = await opened(target);
    await target.user.close(target.fullName, 1);
    await fixture.later(700_000);
    await fixture.statusIs(name, ({ stage }) => expect(stage).toBe('Rejected'));
    await target.user.reopen(target.fullName, 1);
    await fixture.later(1.2 * hourMs);
    const status = await fixture.statusIs(name, ({ stage }) => expect(stage).toBe('Submitted'));
    expect(status).toMatchObject({
      phase: 'Succeeded',
      outcome: { type: 'ActionTaken' },
      changeRequest: { state: 'open' },
    });
    expect(status.error).toBeUndefined();
    expect(status.conditions).not.toContainEqual(expect.objectContaining({ type: 'Merged' }));
    await target.user.merge(target.fullName, 1);
    await fixture.later(700_000);
    await fixture.statusIs(name, ({ stage, phase }) =>
      expect({ stage, phase }).toEqual({ stage: 'Merged', phase: 'Succeeded' }),
    );
  });
});

describe('five responses with the same change', () => {
  const respondFiveTimes = async (target: Target): Promise<string[]> => {
    const names = await Promise.all([1, 2, 3, 4, 5].map(() => fixture.respond(target.actionRef, change)));
    await fixture.responder.rest();
    return names;
  };
  const statuses = (names: readonly string[]) => Promise.all(names.map((name) => fixture.status(name)));

  it('open one pull request, and need no other once it is merged', async () => {
    const target = await routed();
    const names = await respondFiveTimes(target);
    const stages = (await statuses(names)).map(({ stage }) => stage).sort();
    expect(stages).toEqual([...Array<string>(4).fill('AwaitingGate'), 'Submitted']);
    const waiting = (await statuses(names)).find(({ stage }) => stage === 'AwaitingGate');
    expect(waiting).toMatchObject({ phase: 'Running', attempts: 0 });
    expect(waiting?.conditions).toContainEqual(
      expect.objectContaining({ type: 'Submitted', status: 'False', reason: 'DuplicateOpen' }),
    );
    expect(await target.pulls()).toHaveLength(1);

    await target.user.merge(target.fullName, 1);
    await fixture.later(700_000);
    await fixture.later(61_000);
    for (const name of names) await fixture.statusIs(name, ({ phase }) => expect(phase).toBe('Succeeded'));
    const outcomes = (await statuses(names)).map(({ outcome }) => outcome?.type).sort();
    expect(outcomes).toEqual(['ActionTaken', ...Array<string>(4).fill('NoActionNeeded')]);
    expect(await target.pulls()).toHaveLength(1);
  });

  it('are not proposed again at once when a user rejects the change', async () => {
    const target = await routed();
    const names = await respondFiveTimes(target);
    await target.user.close(target.fullName, 1);
    await fixture.later(700_000);
    await fixture.later(61_000);
    await fixture.responder.rest();
    const reasons = (await statuses(names)).map(({ stage, conditions }) =>
      stage === 'Rejected' ? stage : conditions?.find(({ type }) => type === 'Submitted')?.reason,
    );
    expect(reasons.sort()).toEqual([...Array<string>(4).fill('CoolDown'), 'Rejected']);
    await fixture.later(23 * hourMs);
    await fixture.responder.rest();
    expect(await target.pulls()).toHaveLength(1);
    await fixture.later(2 * hourMs);
    await fixture.responder.rest();
    await eventually(async () => expect(await target.pulls()).toHaveLength(2));
  });
});

describe('a pull request that was deleted', () => {
  const deleted = async (): Promise<{ target: Target; name: string }> => {
    const target = await routed();
    const name = await opened(target);
    const { faults } = fixture.platform.forge;
    const path = `*/repos/${target.fullName}/pulls`;
    const match = { actor: target.login, method: 'GET' };
    const body = { message: 'Not Found' };
    faults.add({ match: { ...match, path: `${path}/1` }, status: 404, body, times: 1_000 });
    faults.add({ match: { ...match, path }, status: 200, body: [], times: 1_000 });
    return { target, name };
  };

  it('counts as rejected when it has not been readable for an hour', async () => {
    const { target, name } = await deleted();
    const other = await fixture.respond(target.actionRef, change);
    await fixture.later(700_000);
    const missing = { type: 'Followed', status: 'False', reason: 'PullRequestMissing' };
    await fixture.statusIs(name, ({ phase, conditions }) => {
      expect(phase).toBe('Succeeded');
      expect(conditions).toContainEqual(expect.objectContaining(missing));
    });
    await fixture.later(1.2 * hourMs);
    await fixture.statusIs(name, (status) =>
      expect(status).toMatchObject({ stage: 'Rejected', error: { reason: 'PullRequestDeleted' } }),
    );
    await fixture.later(61_000);
    await fixture.statusIs(other, ({ conditions }) =>
      expect(conditions).toContainEqual(expect.objectContaining({ type: 'Submitted', reason: 'CoolDown' })),
    );
  });

  it('does not prevent the cancellation of its response, once it was missing twice', async () => {
    const { target, name } = await deleted();
    await fixture.mark(name, { phase: 'Cancelled' });
    await fixture.statusIs(name, ({ changeRequest, error }) =>
      expect({ state: changeRequest?.state, reason: error?.reason }).toEqual({
        state: 'open',
        reason: 'PullRequestMissing',
      }),
    );
    expect(await target.branches()).toHaveLength(1);
    await fixture.later(700_000);
    await fixture.statusIs(name, ({ changeRequest, stage }) =>
      expect({ stage, state: changeRequest?.state }).toEqual({ stage: 'Superseded', state: 'closed' }),
    );
    expect(await target.branches()).toEqual([]);
  });
});

it('reports in the status and in an Event that an open pull request cannot be read', async () => {
  const target = await routed();
  const name = await opened(target);
  const { client } = fixture.platform;
  const metadata = { name: target.secretName, namespace: configNamespace };
  await client.delete(Secret, metadata);
  await fixture.later(700_000);
  const failed = { type: 'Followed', status: 'False', reason: 'SecretNotFound' };
  const status = await fixture.statusIs(name, ({ conditions }) =>
    expect(conditions).toContainEqual(expect.objectContaining(failed)),
  );
  expect(status).toMatchObject({ phase: 'Succeeded', stage: 'Submitted' });
  await eventually(async () => {
    const events = await client.raw<{ items: { reason: string; regarding: { name: string } }[] }>({
      method: 'GET',
      path: '/apis/events.k8s.io/v1/events',
    });
    const reasons = events.items
      .filter(({ regarding }) => regarding.name === name)
      .map(({ reason }) => reason);
    expect(reasons).toContain('SecretNotFound');
  });
  await client.apply(Secret, { metadata, stringData: target.secret }, { fieldManager: 'team' });
  await fixture.later(700_000);
  await fixture.statusIs(name, ({ conditions }) =>
    expect(conditions).not.toContainEqual(expect.objectContaining({ type: 'Followed' })),
  );
});
