import { expect, test } from '@jest/globals';
import { until } from './testing/sandbox.js';
import { useGit } from './testing/use-git.js';

const dev = 'refs/heads/dev';
const stuckRepositories = 12;

const given = useGit();

test('gives an owner whose remotes never respond at most half of the processes', async () => {
  const gitPath = given.sandbox.gitWrapper('case "$*" in *stuck*) exec sleep 600;; esac');
  given.open({ gitPath, maxProcesses: 4 });
  const { remote } = given;
  const sha = remote.commit(dev, { a: '1' });
  const stuck = Array.from({ length: stuckRepositories }, (_, index) => {
    const url = `file://${given.sandbox.path(`stuck-${index}.git`)}`;
    return given.git.mirror({ url, tenant: `greedy/${index}`, owner: 'greedy' }).refresh([dev]);
  });
  const ends = Promise.allSettled(stuck);
  let waiting = 0;
  const countWaiting = (): number =>
    (waiting += given.sandbox.processes().filter(({ args }) => args.join(' ').includes('stuck')).length);
  await until(() => countWaiting() >= 2);

  const mirror = given.git.mirror({ url: remote.url, tenant: 'modest/web', owner: 'modest' });
  expect((await mirror.refresh([dev])).refs.get(dev)).toBe(sha);
  expect(String(await mirror.file(sha, 'a'))).toBe('1');
  expect(countWaiting()).toBe(2);
  given.git.close();
  expect(new Set((await ends).map(({ status }) => status))).toEqual(new Set(['rejected']));
});
