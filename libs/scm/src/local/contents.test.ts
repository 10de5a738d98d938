import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { NewFile, RepositoryContents } from '../contents.js';
import type { ContractFixture } from '../testing/contract-fixture.js';
import { git } from '../testing/git-user.js';
import { localHarness } from '../testing/local-contract.js';

const harness = localHarness();
let fixture: ContractFixture;
let contents: RepositoryContents;
let main: string;

beforeAll(() => harness.start());
afterAll(() => harness.stop());
beforeEach(async () => {
  fixture = await harness.open();
  if (fixture.repository.contents === undefined) throw new Error('the plugin has no contents');
  contents = fixture.repository.contents;
  main = await git(['-C', fixture.path, 'rev-parse', 'refs/heads/main']);
});
afterEach(() => fixture.close());

function commit(branch: string, ...paths: string[]): Promise<{ sha: string }> {
  const files: NewFile[] = paths.map((path) => ({ path, contents: Buffer.from(path) }));
  const onto = { base: 'main', sha: main };
  return fixture.clock.run(contents.commitFiles({ branch, onto, message: 'Write', files }));
}

test('treats paths literally, not as patterns', async () => {
  const paths = ['*.yaml', ':(top)x', ':/y', '[a]/b', '-v', 'a\nb/c\td', 'with\\backslash', '"quoted"'];
  const { sha } = await commit('new', ...paths);
  const files = await fixture.clock.run(contents.listFiles(sha, ''));
  const own = files.map(({ path }) => path).filter((path) => !path.startsWith('file-'));
  expect(own).toEqual([...paths].sort());
  expect(await fixture.clock.run(contents.listFiles(sha, '[a]'))).toMatchObject([{ path: '[a]/b' }]);
  expect(await fixture.clock.run(contents.listFolder(sha, '*'))).toBeUndefined();
});

test.each(['git~1/config', 'a/.git./x', 'a/.GIT/x', 'a\0b'])('refuses the path %j', async (path) => {
  await expect(commit('new', 'good', path)).rejects.toMatchObject({
    type: 'Invalid',
    message: expect.stringContaining(JSON.stringify(path)),
  });
  expect(await fixture.clock.run(contents.branchTip('new'))).toBeUndefined();
});

test('reports a branch that would be the folder of another branch as Invalid', async () => {
  await expect(commit('main/below', 'a')).rejects.toMatchObject({
    type: 'Invalid',
    reason: 'BranchInTheWay',
  });
});

test('keeps the head of the pull requests of a deleted branch', async () => {
  const { clock, repository } = fixture;
  const { sha } = await commit('new', 'a');
  const wanted = { head: 'new', base: 'main', title: 't', body: '' };
  const { id } = await clock.run(repository.createPullRequest(wanted));
  await clock.run(contents.deleteBranch('new', sha));
  expect(await clock.run(repository.getPullRequest(id))).toMatchObject({
    state: 'closed',
    headSha: sha,
    closedBy: 'interlock',
  });
  await commit('new', 'a');
  expect(await clock.run(repository.createPullRequest(wanted))).toMatchObject({ id: id + 1, state: 'open' });
});

test.each(['a..b', '-x', 'a b', ''])('refuses the branch %j', async (branch) => {
  await expect(commit(branch, 'a')).rejects.toMatchObject({ type: 'Invalid' });
});

test('reads only by ids, and refuses options and branches', async () => {
  for (const name of ['--help', 'main', `${main}^{tree}`, '']) {
    await expect(fixture.clock.run(contents.listFiles(name, ''))).rejects.toMatchObject({ type: 'Invalid' });
    await expect(fixture.clock.run(contents.readBlob(name, 1))).rejects.toMatchObject({ type: 'Invalid' });
  }
  // A commit is an object, but not a file.
  await expect(fixture.clock.run(contents.readBlob(main, 1_000))).rejects.toMatchObject({ type: 'NotFound' });
});

test('returns all parents of a merge, and a message that resembles a header', async () => {
  const [one, two] = [await fixture.commit('one'), await fixture.commit('two')];
  const message = `parent ${main}\n\nparent ${main}`;
  const merge = await git(
    ['-C', fixture.path, 'commit-tree', `${one}^{tree}`, '-p', one, '-p', two, '-m', message],
    '',
    {
      GIT_AUTHOR_NAME: 'Ann',
      GIT_AUTHOR_EMAIL: 'ann@example.com',
      GIT_COMMITTER_NAME: 'Ann',
      GIT_COMMITTER_EMAIL: 'ann@example.com',
    },
  );
  await git(['-C', fixture.path, 'update-ref', 'refs/heads/one', merge]);
  expect(await fixture.clock.run(contents.branchTip('one'))).toEqual({
    sha: merge,
    message,
    parents: [one, two],
  });
});
