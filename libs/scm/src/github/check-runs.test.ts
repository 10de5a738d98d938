import { afterEach, describe, expect, test } from '@jest/globals';
import type { ScmRepository } from '../scm.js';
import type { ContractWorld } from '../testing/contract-world.js';
import { githubWorld } from '../testing/github-harness.js';
import type { GithubModel } from '../testing/github-model.js';

let world: ContractWorld | undefined;
afterEach(async () => {
  await world?.stop();
});

async function start(): Promise<{ model: GithubModel; repository: ScmRepository; sha: string }> {
  const started = await githubWorld('app');
  world = started.world;
  return { model: started.model, repository: world.repository, sha: world.commit('env/dev') };
}

describe('a list of check runs that lags behind', () => {
  test('does not make a second run: the id of the last call leads to the first', async () => {
    const { model, repository, sha } = await start();
    const status = { sha, name: 'health', description: 'x' };
    const previous = await repository.ensureCommitStatus({ ...status, phase: 'queued' });
    model.statuses.listed = () => false;
    const ids = await repository.ensureCommitStatus({ ...status, phase: 'success', previous });
    expect(ids).toEqual(previous);
    expect(model.statuses.allCheckRuns).toMatchObject([{ id: ids['checkRunId'], conclusion: 'success' }]);
  });

  test('is no reason to change a run of another commit or name', async () => {
    const { model, repository, sha } = await start();
    const previous = await repository.ensureCommitStatus({ sha, name: 'health', phase: 'queued' });
    model.statuses.listed = () => false;
    for (const other of [
      { sha: world?.commit('env/test') ?? '', name: 'health' },
      { sha, name: 'other' },
    ]) {
      const ids = await repository.ensureCommitStatus({ ...other, phase: 'success', previous });
      expect(ids).not.toEqual(previous);
    }
    expect(model.statuses.allCheckRuns[0]).toMatchObject({ status: 'queued' });
  });
});

test('a run of the same name by another App is left alone', async () => {
  const { model, repository, sha } = await start();
  const theirs = model.statuses.addCheckRun({ name: 'health', head_sha: sha, status: 'in_progress' }, true);
  theirs.app = { id: 999 };
  await repository.ensureCommitStatus({ sha, name: 'health', phase: 'success' });
  expect(theirs).toMatchObject({ status: 'in_progress', conclusion: null });
  expect(await repository.listCommitStatuses(sha)).toHaveLength(1);
});
