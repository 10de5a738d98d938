import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { openGithubWorld, type GithubWorld } from '../testing/github-contract.js';
import { GithubForge } from '../testing/github-forge.js';
import { useForge } from '../testing/use-forge.js';

const github = useForge(() => GithubForge.start());
let world: GithubWorld;
let sha: string;

beforeEach(async () => {
  world = await openGithubWorld(github(), 'app');
  sha = await world.commit('env/dev');
});
afterEach(() => world.close());

describe('a list of check runs that lags behind', () => {
  const lag = (times: number) =>
    github().forge.faults.add({
      match: { actor: world.tenant.login, route: '/repos/{owner}/{repo}/commits/{ref}/check-runs' },
      times,
      status: 200,
      body: { total_count: 0, check_runs: [] },
    });

  test('does not make a second run: the id of the last call leads to the first', async () => {
    const status = { sha, name: 'health', description: 'x' };
    const previous = await world.repository.ensureCommitStatus({ ...status, phase: 'queued' });
    lag(1);
    const ids = await world.repository.ensureCommitStatus({ ...status, phase: 'success', previous });
    expect(ids).toEqual(previous);
    expect(await world.repository.listCommitStatuses(sha)).toMatchObject([{ phase: 'success' }]);
  });

  test('is no reason to change a run of another commit or name', async () => {
    const previous = await world.repository.ensureCommitStatus({ sha, name: 'health', phase: 'queued' });
    const others = [
      { sha: await world.commit('env/test'), name: 'health' },
      { sha, name: 'other' },
    ];
    lag(2);
    for (const other of others) {
      const ids = await world.repository.ensureCommitStatus({ ...other, phase: 'success', previous });
      expect(ids).not.toEqual(previous);
    }
    expect(await world.status(sha, 'health')).toMatchObject({ phase: 'queued' });
  });
});

test('a run of the same name by another App is left alone', async () => {
  const { provider, repository, gitRepository } = world.tenant;
  const other = await github().forge.createApp({ owner: repository.owner, name: 'Other' });
  const theirs = world.registry.repository(
    { ...provider, spec: { github: { ...provider.spec.github, appID: other.appId } } },
    { githubAppPrivateKey: other.privateKeyPem },
    gitRepository,
  );
  await theirs.ensureCommitStatus({ sha, name: 'health', phase: 'in_progress', description: 'theirs' });
  await world.repository.ensureCommitStatus({ sha, name: 'health', phase: 'success' });
  expect(await theirs.listCommitStatuses(sha)).toMatchObject([
    { phase: 'in_progress', description: 'theirs' },
  ]);
  expect(await world.repository.listCommitStatuses(sha)).toMatchObject([{ phase: 'success' }]);
});
