import { describe, expect, it } from '@jest/globals';
import { eventually } from '@interlock/kube/testing';
import { conditionOf } from './harness/team.js';
import { useFixture } from './harness/fixture.js';

const environments = ['dev', 'test', 'prod'];

/** Each SCM, and the path of a pull request below the repository. */
const scms = [
  ['gitlab', '/-/merge_requests/'],
  ['gitea', '/pulls/'],
  ['forgejo', '/pulls/'],
] as const;

describe.each(scms)('on %s', (scm, pullPath) => {
  const fixture = useFixture(() => ({ scm }));

  it('promotes a change from environment to environment, once each and in order', async () => {
    const team = await fixture.team({ webhooks: true });
    const first = await team.dryTip();
    await team.applyStrategy({ activeCommitStatuses: [{ key: 'health' }] });
    const { drySHA, hydrated } = await team.propose();
    await team.refresh();
    for (const branch of environments) {
      await team.report('health', await team.runs(branch, drySHA), 'success');
    }
    await fixture.rest();

    const numbers: number[] = [];
    for (const branch of environments) {
      const proposed = hydrated[branch] ?? '';
      const [pull, ...others] = await team.pulls(branch);
      expect(others).toEqual([]);
      expect(pull).toMatchObject({
        merged: true,
        headSHA: proposed,
        title: `Promote ${drySHA.slice(0, 7)} to ${branch}`,
      });
      numbers.push(pull?.number ?? 0);
      const merged = await team.tip(branch);
      expect(await team.tree(merged)).toBe(await team.tree(proposed));
      expect(await team.local.git(['rev-parse', `${merged}^2`])).toBe(proposed);
      expect(await team.trailers(merged)).toMatchObject({
        'Sha-dry-active': first,
        'Sha-dry-proposed': drySHA,
        'Pull-request-id': String(pull?.number),
        'Pull-request-url': `${team.repository.htmlUrl}${pullPath}${pull?.number}`,
      });
      expect(await team.tip(`${branch}-next`)).toBe(proposed);
    }
    expect(team.mergeRequests()).toEqual(numbers);
    expect(conditionOf(await team.strategy(), 'Promoted')).toMatchObject({ reason: 'UpToDate' });
  });

  it('rejects a pull request that a user closes, and adopts one that a user merges', async () => {
    const team = await fixture.team({ environments: ['dev', 'test'], webhooks: true });
    await team.applyStrategy({ proposedCommitStatuses: [{ key: 'lint' }] });
    const { drySHA } = await team.propose();
    await team.refresh();
    const [dev, test] = await eventually(() => Promise.all([team.openPull('dev'), team.openPull('test')]));
    await fixture.user.close(team.repository.fullName, test.number);
    await team.waitsFor('test', 'Rejected');
    await fixture.user.merge(team.repository.fullName, dev.number);
    await team.runs('dev', drySHA);
    await fixture.rest();
    expect(await team.pulls('test')).toMatchObject([{ state: 'closed', merged: false }]);
    expect((await team.pullRequest('dev')).status).toMatchObject({ state: 'merged' });
  });
});
