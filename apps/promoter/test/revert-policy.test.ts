import { describe, expect, it } from '@jest/globals';
import type { Condition, RevertCommit } from '@interlock/api';
import { eventually } from '@interlock/kube/testing';
import { badChange, becomes, healthy, revertsOf } from './harness/reverts.js';
import type { Team } from './harness/team.js';
import { useFixture } from './harness/fixture.js';

const fixture = useFixture();

const minute = 60_000;
const policy = { revertPolicy: { mode: 'Auto', afterFailedFor: '5m', maxPerHour: 1 } } as const;

async function failingSince(team: Team): Promise<string> {
  return eventually(async () => {
    const since = (await team.environment('test')).failingSince;
    if (since === undefined) throw new Error('not failing');
    return since;
  });
}

async function only(team: Team): Promise<RevertCommit> {
  return eventually(async () => {
    const reverts = await revertsOf(team);
    expect(reverts).toHaveLength(1);
    return reverts[0] as RevertCommit;
  });
}

async function blocked(team: Team): Promise<Condition | undefined> {
  return (await team.strategy()).status?.conditions?.find(({ type }) => type === 'RevertBlocked');
}

describe('an environment that fails', () => {
  it('is reverted automatically when it has failed for the time of the policy', async () => {
    const { team, good, bad, unwanted, wanted } = await badChange(fixture, policy, ['dev', 'test', 'prod']);
    await failingSince(team);
    await fixture.rest();
    fixture.clock.forward(4 * minute);
    await fixture.rest();
    expect(await revertsOf(team)).toEqual([]);
    fixture.clock.forward(minute + 1_000);
    const { metadata, spec } = await only(team);
    expect(spec).toMatchObject({ drySHA: good.drySHA, revertOf: unwanted, mode: 'Auto' });
    expect(spec.reason).toContain('it does not start');
    expect(metadata.ownerReferences).toMatchObject([{ kind: 'PromotionStrategy', controller: true }]);
    await becomes(team, 'Merged', metadata.name);
    expect(await team.tree(await team.tip('test'))).toBe(wanted);

    await team.report('health', await team.tip('test'), 'success');
    const next = await team.propose();
    await team.refresh();
    for (const branch of ['dev', 'test', 'prod']) await healthy(team, branch, next.drySHA);
    const format = '--format=%(trailers:key=Sha-dry-proposed,valueonly)';
    expect(await team.local.lines(['log', '--first-parent', format, 'prod'])).not.toContain(bad.drySHA);
    expect(await team.local.lines(['log', '--first-parent', format, 'prod'])).toContain(next.drySHA);
  });

  it('keeps the time of its failure across a restart of the promoter', async () => {
    const { team } = await badChange(fixture, policy);
    const since = await failingSince(team);
    await fixture.rest();
    fixture.clock.forward(3 * minute);
    await fixture.restart();
    expect(await failingSince(team)).toBe(since);
    fixture.clock.forward(2 * minute + 1_000);
    await becomes(team, 'Merged', (await only(team)).metadata.name);
  });

  it('is not reverted when it recovers in time', async () => {
    const { team, unwanted } = await badChange(fixture, policy);
    await failingSince(team);
    await team.report('health', unwanted, 'success');
    await eventually(async () => expect(await team.environment('test')).not.toHaveProperty('failingSince'));
    await fixture.rest();
    fixture.clock.forward(6 * minute);
    await fixture.rest();
    expect(await revertsOf(team)).toEqual([]);
    expect(await team.tip('test')).toBe(unwanted);
  });

  it('is not reverted again when it fails after the revert, nor more often than the policy allows', async () => {
    const { team } = await badChange(fixture, policy);
    await failingSince(team);
    await fixture.rest();
    fixture.clock.forward(5 * minute + 1_000);
    await becomes(team, 'Merged', (await only(team)).metadata.name);
    const reverted = await team.tip('test');
    await team.report('health', reverted, 'failure');
    await failingSince(team);
    await fixture.rest();
    fixture.clock.forward(5 * minute + 1_000);
    await eventually(async () => expect(await blocked(team)).toMatchObject({ reason: 'AlreadyReverted' }));

    const next = await team.propose();
    await team.refresh();
    await team.report('health', await team.runs('test', next.drySHA), 'failure');
    await failingSince(team);
    await fixture.rest();
    fixture.clock.forward(5 * minute + 1_000);
    await eventually(async () => expect(await blocked(team)).toMatchObject({ reason: 'TooManyReverts' }));
    expect(await revertsOf(team)).toHaveLength(1);
    await fixture.rest();
    fixture.clock.forward(60 * minute);
    await eventually(async () => expect(await revertsOf(team)).toHaveLength(2));
  });

  it('is not changed when a user closes the pull request of the revert', async () => {
    const { team, unwanted } = await badChange(fixture, {
      revertPolicy: { ...policy.revertPolicy, mode: 'PullRequest' },
    });
    await failingSince(team);
    await fixture.rest();
    fixture.clock.forward(5 * minute + 1_000);
    const { number } = await eventually(() => team.openPull('test'));
    await fixture.user.close(team.repository.fullName, number);
    await becomes(team, 'Rejected', (await only(team)).metadata.name);
    await fixture.rest();
    fixture.clock.forward(60 * minute);
    await fixture.rest();
    expect(await revertsOf(team)).toHaveLength(1);
    expect(await team.tip('test')).toBe(unwanted);
  });
});
