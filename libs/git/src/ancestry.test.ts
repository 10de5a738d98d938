import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Mirror } from './index.js';
import { branchOf, commitGraph, graphs, type GraphCommit } from './testing/graph.js';
import { useMirror } from './testing/use-git.js';

const given = useMirror();
/** Returns whether one commit of a graph is part of the history of another. */
function reaches(graph: readonly GraphCommit[], ancestor: number, descendant: number): boolean {
  if (ancestor === descendant) return true;
  return (graph[descendant]?.parents ?? []).some((parent) => reaches(graph, ancestor, parent));
}

const subcommands = () => given.sandbox.processes().map(({ args }) => args[0]);

describe('ancestry', () => {
  test('matches the graph, in whatever order its commits arrive', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(graphs(40), fc.infiniteStream(fc.nat()), async (graph, numbers) => {
        const shas = commitGraph(given.remote, graph, `run ${(run += 1)}`);
        const tips = [...numbers.take(6)].map((n) => n % graph.length);
        const mirror = given.open().mirror({ url: given.remote.url, tenant: `run ${run}` });
        const come: number[] = [];
        for (const tip of tips) {
          await mirror.refresh([branchOf(tip)]);
          come.push(tip);
          for (const [one, other] of come.flatMap((a) => come.map((b) => [a, b] as const))) {
            const answer = await mirror.isAncestor(shas[one] ?? '', shas[other] ?? '');
            expect(answer).toBe(reaches(graph, one, other));
          }
        }
      }),
      { numRuns: 8 },
    );
  });

  const dev = 'refs/heads/dev';
  const next = 'refs/heads/dev-next';

  /** Proposes a commit, and merges it into the environment. Returns both commits. */
  async function promote(mirror: Mirror, index: number): Promise<{ proposed: string; merge: string }> {
    const tip = given.remote.tip(dev) ?? '';
    const proposed = given.remote.commit(next, { a: String(index) });
    await mirror.refresh([dev, next]);
    expect(await mirror.isAncestor(proposed, tip)).toBe(false);
    expect(await mirror.isAncestor(tip, proposed)).toBe(false);
    const merge = given.remote.commit(dev, { a: String(index) }, 'merge', [tip, proposed]);
    await mirror.refresh([dev, next]);
    expect(await mirror.isAncestor(proposed, merge)).toBe(true);
    expect(await mirror.isAncestor(merge, proposed)).toBe(false);
    return { proposed, merge };
  }

  test('of new commits needs no process, however long the history is', async () => {
    const lines = (ref: string) =>
      Array.from(
        { length: 50 },
        (_, n) =>
          `commit ${ref}\ncommitter A <a@b.c> 1700000000 +0000\ndata ${ref.length + 2}\n${ref}${10 + n}\n`,
      );
    given.remote.git(['fast-import', '--quiet'], [...lines(dev), ...lines(next)].join('\n'));
    await given.mirror.refresh([dev, next]);
    const first = await promote(given.mirror, 0);
    subcommands();
    const promotions = [first];
    for (let index = 1; index < 4; index++) promotions.push(await promote(given.mirror, index));
    expect(new Set(subcommands())).toEqual(new Set(['ls-remote', 'fetch']));
    const [old, young] = [promotions[0]?.proposed ?? '', promotions.at(-1)?.merge ?? ''];
    expect(await given.mirror.isAncestor(old, young)).toBe(true);
    expect(await given.mirror.isAncestor(young, old)).toBe(false);
  });
});
