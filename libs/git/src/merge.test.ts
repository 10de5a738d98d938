import { spawnSync } from 'node:child_process';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { branchOf, commitGraph, graphs } from './testing/graph.js';
import { useMirror } from './testing/use-git.js';

const dev = 'refs/heads/dev';
const next = 'refs/heads/dev-next';
const given = useMirror();

const subcommands = () => given.sandbox.processes().map(({ args }) => args[0]);

/** Returns the result of git for a merge in the repository of the mirror. */
function mergeByGit(ours: string, theirs: string) {
  const run = (...args: string[]) =>
    spawnSync('git', args, { env: { ...process.env, GIT_DIR: given.remote.directory }, encoding: 'utf8' });
  const options = ['--write-tree', '--allow-unrelated-histories', '--no-messages', '--name-only', '-z'];
  const { status, stdout } = run('merge-tree', ...options, ours, theirs);
  const [tree, ...conflicts] = stdout.split('\0').filter((part) => part !== '');
  const related = run('merge-base', ours, theirs).status === 0;
  return { clean: status === 0, related, tree, conflicts };
}

describe('the merge of two commits', () => {
  test('equals the merge by git, whatever their history', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(graphs(12), fc.infiniteStream(fc.nat()), async (graph, numbers) => {
        const shas = commitGraph(given.remote, graph, `run ${(run += 1)}`);
        const mirror = given.open().mirror({ url: given.remote.url, tenant: `run ${run}` });
        const tips = [...numbers.take(4)].map((n) => n % graph.length);
        for (const tip of tips) await mirror.refresh([branchOf(tip)]);
        for (const [one, other] of tips.flatMap((a) => tips.map((b) => [a, b] as const))) {
          const [ours, theirs] = [shas[one] ?? '', shas[other] ?? ''];
          expect(await mirror.mergeTree(ours, theirs)).toEqual(mergeByGit(ours, theirs));
        }
      }),
      { numRuns: 8 },
    );
  }, 300_000);

  /** Merges the proposal into the environment, and proposes more. */
  async function promoted() {
    const root = given.remote.commit(dev, { a: '1' });
    const first = given.remote.commit(next, { a: '2' }, 'first', [root]);
    const merge = given.remote.commit(dev, { a: '2' }, 'merge', [root, first]);
    await given.mirror.refresh([dev, next]);
    const second = given.remote.commit(next, { a: '3' });
    return { first, merge, second };
  }

  test('needs no process if the environment has an earlier proposal', async () => {
    const { merge, second } = await promoted();
    await given.mirror.refresh([dev, next]);
    subcommands();
    expect(await given.mirror.mergeTree(merge, second)).toEqual({
      clean: true,
      related: true,
      tree: given.remote.tree({ a: '3' }),
      conflicts: [],
    });
    expect(subcommands()).toEqual([]);
  });

  test('keeps a change reverted even if the next commit still contains it', async () => {
    const { merge, second } = await promoted();
    const merged = given.remote.commit(dev, { a: '3' }, 'merge', [merge, second]);
    const back = given.remote.commit(dev, { a: '2' }, 'revert', [merged]);
    const third = given.remote.commit(next, { a: '3', b: '1' });
    await given.mirror.refresh([dev, next]);
    const result = await given.mirror.mergeTree(back, third);
    expect(result).toEqual(mergeByGit(back, third));
    expect(result.tree).toBe(given.remote.tree({ a: '2', b: '1' }));
  });

  test('is left to git if the environment was changed', async () => {
    const { second } = await promoted();
    const changed = given.remote.commit(dev, { a: '2', hotfix: 'x' });
    await given.mirror.refresh([dev, next]);
    subcommands();
    const result = await given.mirror.mergeTree(changed, second);
    expect(result.tree).toBe(given.remote.tree({ a: '3', hotfix: 'x' }));
    expect(subcommands()).toEqual(['merge-tree']);
  });
});
