import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Mirror } from './index.js';
import { useMirror } from './testing/use-git.js';

const given = useMirror();
const refOf = (index: number) => `refs/heads/c${index}`;

/** Parents of commits by their indexes; those of a commit come before it. */
type Graph = readonly (readonly number[])[];

const graphs: fc.Arbitrary<Graph> = fc
  .array(fc.array(fc.nat({ max: 1_000 }), { maxLength: 2 }), { minLength: 2, maxLength: 40 })
  .map((all) => all.map((chosen, index) => (index === 0 ? [] : [...new Set(chosen.map((n) => n % index))])));

/** Commits a graph to the remote, and a branch for each commit. Returns the SHAs. */
function commitAll(graph: Graph, marker: string): string[] {
  const commits = graph.map((parents, index) => {
    const [first, ...merged] = parents.map((parent) => refOf(parent));
    const message = `${marker} ${index}`;
    return [
      `commit ${refOf(index)}`,
      'committer A <a@example.com> 1700000000 +0000',
      `data ${message.length}\n${message}`,
      ...(first === undefined ? [] : [`from ${first}`]),
      ...merged.map((one) => `merge ${one}`),
      '',
    ].join('\n');
  });
  given.remote.git(['fast-import', '--quiet', '--force'], commits.join('\n'));
  return graph.map((_, index) => given.remote.tip(refOf(index)) ?? '');
}

/** Returns whether one commit of a graph is part of the history of another. */
function reaches(graph: Graph, ancestor: number, descendant: number): boolean {
  if (ancestor === descendant) return true;
  return (graph[descendant] ?? []).some((parent) => reaches(graph, ancestor, parent));
}

const subcommands = () => given.sandbox.processes().map(({ args }) => args[0]);

describe('ancestry', () => {
  test('is that of the graph, in whatever order its commits come', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(graphs, fc.infiniteStream(fc.nat()), async (graph, numbers) => {
        const shas = commitAll(graph, `run ${(run += 1)}`);
        const tips = [...numbers.take(6)].map((n) => n % graph.length);
        const mirror = given.open().mirror({ url: given.remote.url, tenant: `run ${run}` });
        const come: number[] = [];
        for (const tip of tips) {
          await mirror.refresh([refOf(tip)]);
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

  /** Proposes a commit, and merges it into the environment. Returns both. */
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

  test('of what has just come needs no process, however long the history is', async () => {
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
