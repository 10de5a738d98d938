import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@interlock/kube/testing';
import { callForge } from './harness/forge-api.js';
import { Gate } from './harness/gate.js';
import { proposeUnchecked, type OpenProposal } from './harness/proposals.js';
import { conditionOf, type Team } from './harness/team.js';
import { useFixture } from './harness/fixture.js';

const gate = new Gate();
const fixture = useFixture(() => ({ dispatcher: () => gate.dispatcher }));
afterEach(() => fixture.platform.forge.faults.clear());

/**
 * Returns a team whose only environment requires the check lint, with a pull request that waits for it. Without
 * webhooks, the promoter polls.
 */
async function waitingForLint(): Promise<OpenProposal & { team: Team }> {
  const team = await fixture.team({ environments: ['dev'] });
  return { team, ...(await proposeUnchecked(team)) };
}

/** Makes the forge refuse every merge with a reason that the promoter recognizes. */
function refuseMerges(): { remove(): void } {
  return fixture.platform.forge.faults.add({
    match: { method: 'PUT', route: '/repos/{owner}/{repo}/pulls/{pull_number}/merge' },
    times: 1000,
    status: 405,
    body: { message: 'Required status check "other" is expected.' },
  });
}

describe('a commit that arrives between the decision and the merge', () => {
  it('is not merged, because the merge is pinned to the decided commit', async () => {
    const { team, sha } = await waitingForLint();
    const before = await team.tip('dev');
    const merge = gate.hold('PUT', '/merge');
    await team.report('lint', sha, 'success');
    await merge.arrived;
    const { drySHA, hydrated } = await team.propose();
    merge.release();

    await eventually(async () => {
      expect(await team.check('dev', 'lint')).toMatchObject({ reason: 'Missing' });
      expect((await team.openPull('dev')).headSHA).toBe(hydrated['dev']);
    });
    await fixture.rest();
    expect(await team.tip('dev')).toBe(before);
    expect(team.mergeRequests()).toHaveLength(1);

    await team.report('lint', hydrated['dev'] ?? '', 'success');
    await team.runs('dev', drySHA);
    expect(await team.pulls('dev')).toHaveLength(1);
  });

  it('is not merged in place of the previous commit, whose merge was refused', async () => {
    const { team, sha } = await waitingForLint();
    const before = await team.tip('dev');
    const refusal = refuseMerges();
    await team.report('lint', sha, 'success');
    await eventually(async () => {
      const ready = conditionOf(await team.pullRequest('dev'), 'Ready');
      expect(ready).toMatchObject({
        status: 'False',
        message: expect.stringContaining('Required status check'),
      });
    });
    const { drySHA, hydrated } = await team.propose();
    await team.refreshAndRest();
    refusal.remove();
    fixture.clock.forward(5 * 60_000);
    await team.refreshAndRest();
    expect(await team.check('dev', 'lint')).toMatchObject({ reason: 'Missing' });
    expect(await team.tip('dev')).toBe(before);

    await team.report('lint', hydrated['dev'] ?? '', 'success');
    await team.runs('dev', drySHA);
  });
});

describe('a pull request whose base a user changes while its merge is refused', () => {
  it('is not merged into that base, and another pull request is opened and merged', async () => {
    const { team, sha, number } = await waitingForLint();
    const other = await team.tip('dev');
    await team.local.git(['update-ref', 'refs/heads/other', other]);
    const refusal = refuseMerges();
    await team.report('lint', sha, 'success');
    await eventually(async () => {
      expect(conditionOf(await team.pullRequest('dev'), 'Ready').message).toContain('Required status check');
    });
    await callForge(fixture, 'PATCH', `${team.repository.fullName}/pulls/${number}`, { base: 'other' });
    refusal.remove();
    fixture.clock.forward(60_000);
    await eventually(async () => {
      expect(await team.pulls('dev')).toMatchObject([{ number: number + 1, merged: true }]);
    });
    await fixture.rest();
    expect(await team.tip('other')).toBe(other);
    expect(await team.pulls('other')).toMatchObject([{ number, state: 'open' }]);
  });
});

describe('a check that fails between the decision and the merge', () => {
  it('stops the merge', async () => {
    const { team, sha } = await waitingForLint();
    await fixture.rest();
    const reads = team.holdReads();
    await team.report('lint', sha, 'success');
    await eventually(async () => {
      expect((await team.pullRequest('dev')).spec.merge?.sha).toBe(sha);
    });
    await reads.arrived;
    await team.report('lint', sha, 'failure');
    reads.release();
    await eventually(async () => expect(await team.check('dev', 'lint')).toMatchObject({ state: 'failure' }));
    await team.refreshAndRest();
    expect(team.mergeRequests()).toEqual([]);
    expect(await team.openPull('dev')).toBeDefined();
    expect((await team.pullRequest('dev')).spec.merge).toBeUndefined();

    await team.report('lint', sha, 'success');
    await eventually(async () => expect(team.mergeRequests()).toHaveLength(1));
    await eventually(async () => expect(await team.tip('dev')).not.toBe(sha));
  });

  it('stops the merge even if it is a check of the preceding environment', async () => {
    const team = await fixture.team({ environments: ['dev', 'test'] });
    await team.applyStrategy({ activeCommitStatuses: [{ key: 'health' }] });
    const { drySHA, hydrated } = await team.propose();
    await team.refresh();
    const active = await team.runs('dev', drySHA);
    await eventually(() => team.openPull('test'));
    await fixture.rest();
    const reads = team.holdReads();
    await team.report('health', active, 'success');
    await eventually(async () => {
      expect((await team.pullRequest('test')).spec.merge?.sha).toBe(hydrated['test']);
    });
    await reads.arrived;
    await team.report('health', active, 'failure');
    reads.release();
    await eventually(async () =>
      expect(await team.check('test', 'Healthy')).toMatchObject({ reason: 'ActiveStatusFailed' }),
    );
    await team.refreshAndRest();
    expect(team.mergeRequests()).toHaveLength(1);
    expect(await team.openPull('test')).toBeDefined();

    await team.report('health', active, 'success');
    await team.runs('test', drySHA);
  });
});
