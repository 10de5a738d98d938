import { existsSync, readdirSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { until } from './testing/sandbox.js';
import { useGit } from './testing/use-git.js';

const dev = 'refs/heads/dev';
const stuckRepositories = 12;

const given = useGit();

/** Returns a program that runs git, and never ends for URLs and arguments that contain `word`. */
function stuckAt(word: string): string {
  return given.sandbox.gitWrapper(`case "$*" in *${word}*) exec sleep 600;; esac`);
}

/** Refreshes mirrors of remotes that never respond. Returns their ends. */
function refreshStuck(owner: string): Promise<PromiseSettledResult<unknown>[]> {
  const urls = Array.from(
    { length: stuckRepositories },
    (_, index) => `file://${given.sandbox.path(`stuck-${owner}-${index}.git`)}`,
  );
  return Promise.allSettled(urls.map((url) => given.git.mirror({ url, tenant: url, owner }).refresh([dev])));
}

test('gives an owner whose remotes never respond at most half of the processes', async () => {
  given.open({ gitPath: stuckAt('stuck'), maxProcesses: 4 });
  const { remote } = given;
  const sha = remote.commit(dev, { a: '1' });
  const ends = refreshStuck('greedy');
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

test('does not let many owners whose remotes never respond delay another', async () => {
  given.open({ gitPath: stuckAt('stuck'), maxProcesses: 4, preemptAfterMs: 2_000 });
  const { remote } = given;
  const sha = remote.commit(dev, { a: '1' });
  const ends = ['greedy', 'hungry', 'insatiable'].map(refreshStuck);
  let started = 0;
  await until(() => (started += given.sandbox.processes().length) >= 4);

  const mirror = given.git.mirror({ url: remote.url, tenant: 'modest/web', owner: 'modest' });
  expect((await mirror.refresh([dev])).refs.get(dev)).toBe(sha);
  expect(String(await mirror.file(sha, 'a'))).toBe('1');
  given.git.close();
  for (const end of ends)
    expect(new Set((await end).map(({ status }) => status))).toEqual(new Set(['rejected']));
});

test('removes the files of a stopped process when its repetition has ended', async () => {
  const mark = given.sandbox.path('mark');
  const stopped = `[ "$1" = fetch ] && [ ! -e "${mark}" ] && { touch "$GIT_DIR/objects/pack/tmp_pack_1" "${mark}"; exec sleep 600; }`;
  given.open({ gitPath: given.sandbox.gitWrapper(stopped), maxProcesses: 1, preemptAfterMs: 10 });
  const { remote } = given;
  const sha = remote.commit(dev, { a: '1' });
  const mirror = given.git.mirror({ url: remote.url, tenant: 'slow/web', owner: 'slow' });
  const slow = mirror.refresh([dev]);
  await until(() => existsSync(mark));
  const other = given.git.mirror({ url: remote.url, tenant: 'modest/web', owner: 'modest' });
  expect((await other.refresh([dev])).refs.get(dev)).toBe(sha);
  expect((await slow).refs.get(dev)).toBe(sha);
  const left = readdirSync(given.sandbox.cacheDir, { recursive: true }).map(String);
  expect(left.filter((name) => name.includes('tmp_'))).toEqual([]);
});
