import { describe, expect, it } from '@jest/globals';
import { isTyped, ProposedCommit, PromotionStrategy } from '@interlock/api';
import { eventually } from '@interlock/kube/testing';
import { conditionOf, strategyName, type Team } from './harness/team.js';
import { useFixture } from './harness/fixture.js';

const environments = ['dev', 'test', 'prod'];
const fixture = useFixture();

/** Waits until an environment runs a dry commit, and reports it as healthy. */
async function becomesHealthy(team: Team, branch: string, drySHA: string): Promise<void> {
  await team.report('health', await team.runs(branch, drySHA), 'success');
}

describe('a change', () => {
  it('is promoted from environment to environment, once each and in order', async () => {
    const team = await fixture.team({ webhooks: true });
    const before = Object.fromEntries(
      await Promise.all(environments.map(async (branch) => [branch, await team.tip(branch)] as const)),
    );
    const first = await team.dryTip();
    await team.applyStrategy({ activeCommitStatuses: [{ key: 'health' }] });
    const { drySHA, hydrated } = await team.propose();
    await team.refresh();
    for (const branch of environments) await becomesHealthy(team, branch, drySHA);
    await eventually(async () => {
      expect((await team.environment('prod')).lastHealthyDrySHAs).toHaveLength(1);
    });
    await fixture.rest();

    const numbers: number[] = [];
    for (const branch of environments) {
      const merged = await team.tip(branch);
      const proposed = hydrated[branch] ?? '';
      const tree = await team.tree(proposed);
      expect(await team.tree(merged)).toBe(tree);
      expect(await team.local.git(['show', '-s', '--format=%P', merged])).toBe(
        `${before[branch]} ${proposed}`,
      );
      const pull = (await team.pulls(branch))[0];
      expect(await team.pulls(branch)).toMatchObject([{ state: 'closed', headSHA: proposed }]);
      numbers.push(pull?.number ?? 0);
      expect(await team.trailers(merged)).toEqual({
        'Sha-dry-active': first,
        'Sha-dry-proposed': drySHA,
        'Sha-hydrated-active': before[branch],
        'Sha-hydrated-proposed': proposed,
        'Commit-status-active-health-phase': 'pending',
        'Commit-status-proposed-promotion-phase': 'success',
        'Pull-request-id': String(pull?.number),
        'Pull-request-source-branch': `${branch}-next`,
        'Pull-request-target-branch': branch,
        'Pull-request-creation-time': expect.stringMatching(/^\d{4}-.*Z$/),
        'Pull-request-url': `${team.repository.htmlUrl}/pull/${pull?.number}`,
      });
      const { checks = [], ...status } = await team.environment(branch);
      expect(checks).toEqual([]);
      expect(status).toEqual({
        branch,
        behind: 0,
        active: { drySHA, hydratedSHA: merged, commitStatus: 'healthy' },
        proposed: { drySHA, hydratedSHA: proposed, commitStatus: 'healthy' },
        lastHealthyDrySHAs: [
          { sha: drySHA, hydratedSHA: merged, treeSHA: tree, time: expect.stringMatching(/Z$/) },
        ],
        history: [
          {
            sha: merged,
            drySHA,
            hydratedSHA: proposed,
            time: expect.stringMatching(/Z$/),
            subject: `Promote ${drySHA.slice(0, 7)} to ${branch}`,
            author: expect.any(String),
            pullRequest: `${team.repository.htmlUrl}/pull/${pull?.number}`,
          },
          expect.objectContaining({ sha: before[branch] }),
        ],
      });
      expect((await team.proposedCommit(branch)).status).toMatchObject({
        active: { drySHA, hydratedSHA: merged, commitStatus: 'healthy' },
        proposed: { drySHA, hydratedSHA: proposed, commitStatus: 'healthy' },
      });
    }
    expect(team.mergeRequests()).toEqual(numbers);
    const strategy = await team.strategy();
    expect(conditionOf(strategy, 'Ready')).toMatchObject({ status: 'True', observedGeneration: 1 });
    expect(conditionOf(strategy, 'Promoted')).toMatchObject({ status: 'True', reason: 'UpToDate' });
  });

  it('is replaced in flight by a newer change, in the same pull request', async () => {
    const team = await fixture.team();
    await team.applyStrategy({ activeCommitStatuses: [{ key: 'health' }] });
    const first = await team.propose();
    await team.refresh();
    await eventually(async () => {
      expect((await team.environment('dev')).active?.drySHA).toBe(first.drySHA);
      expect((await team.openPull('test')).headSHA).toBe(first.hydrated['test']);
    });
    const { number } = await team.openPull('test');

    const drySHA = await team.commitDry();
    const proposed = await team.hydrate('test', drySHA);
    await team.hydrate('prod', drySHA);
    await team.refreshAndRest();
    await becomesHealthy(team, 'dev', first.drySHA);
    await eventually(async () => {
      expect((await team.environment('test')).checks).toContainEqual({
        name: 'Order',
        state: 'pending',
        reason: 'WaitingForEnvironment',
        message: expect.stringContaining(`dev runs ${first.drySHA.slice(0, 7)}, not ${drySHA.slice(0, 7)}`),
        since: expect.any(String),
      });
      expect(await team.openPull('test')).toMatchObject({
        number,
        headSHA: proposed,
        title: `Promote ${drySHA.slice(0, 7)} to test`,
      });
    });
    await fixture.rest();
    expect((await team.environment('test')).active?.drySHA).not.toBe(drySHA);

    await team.hydrate('dev', drySHA);
    await team.refresh();
    for (const branch of environments) await becomesHealthy(team, branch, drySHA);
    await fixture.rest();
    expect(await team.pulls('dev')).toHaveLength(2);
    expect(await team.pulls('test')).toMatchObject([{ number, state: 'closed', headSHA: proposed }]);
    expect(await team.pulls('prod')).toHaveLength(1);
  });
});

describe('a strategy', () => {
  const blocked = { proposedCommitStatuses: [{ key: 'lint' }] };

  it('closes its pull requests when it is deleted', async () => {
    const team = await fixture.team();
    await team.applyStrategy(blocked);
    await team.propose('dev', 'test');
    await team.refresh();
    await eventually(() => Promise.all([team.openPull('dev'), team.openPull('test')]));
    await fixture.platform.client.delete(PromotionStrategy, {
      namespace: team.namespace,
      name: strategyName,
    });
    await eventually(async () => {
      expect(await team.pulls('dev')).toMatchObject([{ state: 'closed', merged: false }]);
      expect(await team.pulls('test')).toMatchObject([{ state: 'closed', merged: false }]);
      const { items } = await fixture.platform.client.list(ProposedCommit, { namespace: team.namespace });
      expect(items).toEqual([]);
    });
  });

  it('deletes the children of an environment that was removed', async () => {
    const team = await fixture.team();
    await team.applyStrategy(blocked);
    await team.propose();
    await team.refresh();
    await eventually(() => Promise.all(environments.map((branch) => team.openPull(branch))));
    await team.applyStrategy({ ...blocked, environments: ['dev', 'prod'] });
    await eventually(async () => {
      const gone = await team.proposedCommit('test').catch((error: unknown) => error);
      expect(isTyped(gone, 'NotFound')).toBe(true);
      expect(await team.pulls('test')).toMatchObject([{ state: 'closed' }]);
      const { status } = await team.strategy();
      expect(status?.environments?.map(({ branch }) => branch)).toEqual(['dev', 'prod']);
    });
    await fixture.rest();
    expect(await team.openPull('dev')).toBeDefined();
    expect(await team.openPull('prod')).toBeDefined();
  });
});
