import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createGit, type Git } from './index.js';
import { Sandbox, until } from './testing/sandbox.js';

const DEV = 'refs/heads/dev';
const stuckRepositories = 12;

let sandbox: Sandbox;
let git: Git;

beforeEach(() => {
  sandbox = new Sandbox();
});
afterEach(() => {
  git.close();
  sandbox.remove();
});

test('repositories of one owner whose remotes never answer take half of the processes, and others are served', async () => {
  const gitPath = sandbox.gitWrapper('case "$*" in *stuck*) exec sleep 600;; esac');
  git = createGit({ cacheDir: sandbox.cacheDir, transports: ['file'], gitPath, maxProcesses: 4 });
  const remote = sandbox.remote();
  const sha = remote.commit(DEV, { a: '1' });
  const stuck = Array.from({ length: stuckRepositories }, (_, index) => {
    const url = `file://${sandbox.path(`stuck-${index}.git`)}`;
    return git.mirror({ url, tenant: `greedy/${index}`, owner: 'greedy' }).refresh([DEV]);
  });
  const ends = Promise.allSettled(stuck);
  let waiting = 0;
  const countWaiting = (): number =>
    (waiting += sandbox.processes().filter(({ args }) => args.join(' ').includes('stuck')).length);
  await until(() => countWaiting() >= 2);

  const mirror = git.mirror({ url: remote.url, tenant: 'modest/web', owner: 'modest' });
  expect((await mirror.refresh([DEV])).refs.get(DEV)).toBe(sha);
  expect(String(await mirror.file(sha, 'a'))).toBe('1');
  expect(countWaiting()).toBe(2);
  git.close();
  expect(new Set((await ends).map(({ status }) => status))).toEqual(new Set(['rejected']));
});
