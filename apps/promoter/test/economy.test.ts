import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@interlock/kube/testing';
import { GitProgram } from './harness/git-program.js';
import { proposeUnapproved } from './harness/proposals.js';
import { useFixture } from './harness/fixture.js';

let git: GitProgram;
beforeAll(async () => {
  git = await GitProgram.create();
});
const fixture = useFixture(() => ({ gitPath: git.path }));
afterAll(() => git.remove());

describe('a refresh', () => {
  it('without moved refs starts no git process and sends one request to the forge', async () => {
    const team = await fixture.team();
    await team.applyStrategy({ environments: ['dev', 'test', { branch: 'prod', autoMerge: false }] });
    const { drySHA } = await team.propose();
    await team.refresh();
    await team.runs('test', drySHA);
    await team.waitsFor('prod', 'WaitingForPerson');
    await team.refreshAndRest();

    const { journal } = fixture.platform.forge;
    for (let round = 0; round < 3; round++) {
      const { seq } = journal;
      const before = (await git.started()).length;
      await team.refreshAndRest();
      expect((await git.started()).slice(before)).toEqual([]);
      const asked = journal.entries({ since: seq }).map(({ method, route }) => `${method} ${route}`);
      expect(asked).toEqual(['POST /{owner}/{repo}.git/git-upload-pack']);
    }
  });

  it('with a moved ref starts one process, which checks the new objects', async () => {
    const team = await fixture.team({ environments: ['dev'] });
    await team.applyStrategy({ proposedCommitStatuses: [{ key: 'lint' }] });
    await team.propose();
    await team.refreshAndRest();
    await eventually(() => team.openPull('dev'));
    await fixture.rest();
    const before = (await git.started()).length;
    await team.propose();
    await team.refreshAndRest();
    const started = (await git.started()).slice(before);
    expect(started).toEqual(['index-pack']);
  });
});

describe('a restart', () => {
  it('writes nothing to a forge that is up to date', async () => {
    const team = await fixture.team({ environments: ['dev', 'test'] });
    const { drySHA, hydrated } = await proposeUnapproved(team);
    await eventually(() => team.openPull('test'));
    await team.refreshAndRest();

    const { journal } = fixture.platform.forge;
    const { seq } = journal;
    const tips = await team.local.refs();
    await fixture.restart();
    await team.refreshAndRest();
    const writes = journal.entries({ since: seq, kind: 'write' });
    expect(writes.filter(({ route }) => !route.endsWith('/access_tokens'))).toEqual([]);
    expect(await team.local.refs()).toEqual(tips);

    await team.report('approval', hydrated['test'] ?? '', 'success');
    await team.runs('test', drySHA);
  });
});
