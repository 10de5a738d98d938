import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { openGithubFixture, type GithubContractFixture } from '../testing/github-contract.js';
import { GithubForge } from '../testing/github-forge.js';
import { useForge } from '../testing/use-forge.js';

const github = useForge(() => GithubForge.start());
let fixture: GithubContractFixture;
let sha: string;

beforeEach(async () => {
  fixture = await openGithubFixture(github(), 'app');
  sha = await fixture.commit('env/dev');
});
afterEach(() => fixture.close());

describe('a stale list of check runs', () => {
  const lag = (times: number) =>
    github().forge.faults.add({
      match: { actor: fixture.tenant.login, route: '/repos/{owner}/{repo}/commits/{ref}/check-runs' },
      times,
      status: 200,
      body: { total_count: 0, check_runs: [] },
    });

  test('does not cause a second run, because the id of the last call identifies the first run', async () => {
    const status = { sha, name: 'health', description: 'x' };
    const previous = await fixture.repository.ensureCommitStatus({ ...status, phase: 'queued' });
    lag(1);
    const ids = await fixture.repository.ensureCommitStatus({ ...status, phase: 'success', previous });
    expect(ids).toEqual(previous);
    expect(await fixture.repository.listCommitStatuses(sha)).toMatchObject([{ phase: 'success' }]);
  });

  test('does not change a run of another commit or with another name', async () => {
    const previous = await fixture.repository.ensureCommitStatus({ sha, name: 'health', phase: 'queued' });
    const others = [
      { sha: await fixture.commit('env/test'), name: 'health' },
      { sha, name: 'other' },
    ];
    lag(2);
    for (const other of others) {
      const ids = await fixture.repository.ensureCommitStatus({ ...other, phase: 'success', previous });
      expect(ids).not.toEqual(previous);
    }
    expect(await fixture.status(sha, 'health')).toMatchObject({ phase: 'queued' });
  });
});

test('does not change a run with the same name of another App', async () => {
  const { provider, repository, gitRepository } = fixture.tenant;
  const other = await github().forge.createApp({ owner: repository.owner, name: 'Other' });
  const theirs = fixture.registry.repository(
    { ...provider, spec: { github: { ...provider.spec.github, appID: other.appId } } },
    { githubAppPrivateKey: other.privateKeyPem },
    gitRepository,
  );
  await theirs.ensureCommitStatus({ sha, name: 'health', phase: 'in_progress', description: 'theirs' });
  await fixture.repository.ensureCommitStatus({ sha, name: 'health', phase: 'success' });
  expect(await theirs.listCommitStatuses(sha)).toMatchObject([
    { phase: 'in_progress', description: 'theirs' },
  ]);
  expect(await fixture.repository.listCommitStatuses(sha)).toMatchObject([{ phase: 'success' }]);
});
