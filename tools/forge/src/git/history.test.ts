import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { closeAll, git, temporaryFolder } from '../testing/forge.js';
import { BareRepository } from './bare-repository.js';
import type { Commit } from './commit.js';
import { History, isLinear } from './history.js';

const person = { name: 'Ada', email: 'ada@example.com' };
const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
/* Few distinct times, so that many commits have the same time. */
const dates = ['2024-01-01T00:00:00Z', '2024-01-01T00:00:01Z', '2024-01-01T00:00:02Z'];

/** The parents of each commit, among the earlier ones, and its time. */
const graphs = fc.array(
  fc.record({ parents: fc.array(fc.nat(20), { maxLength: 2 }), date: fc.constantFrom(...dates) }),
  { minLength: 2, maxLength: 9 },
);

const [early, later, latest] = dates as [string, string, string];
/* Two branches of one commit each, all with the same time, and two branches of two commits with alternating times. */
const twins = [[], [0], [0], [1, 2]].map((parents) => ({ parents, date: early }));
const alternating = [
  { parents: [], date: early },
  { parents: [0], date: early },
  { parents: [1], date: latest },
  { parents: [0], date: later },
  { parents: [3], date: latest },
  { parents: [2, 4], date: latest },
];

let folder = '';
beforeAll(async () => {
  folder = await temporaryFolder();
  await git(folder, 'init', '--quiet', '--bare');
});
afterAll(closeAll);

/** Returns the ids of new commits, the last of which is the newest in the graph. */
async function commitsOf(
  repository: BareRepository,
  graph: readonly { parents: readonly number[]; date: string }[],
): Promise<string[]> {
  const ids: string[] = [];
  for (const [index, { parents, date }] of graph.entries()) {
    const signature = { ...person, date };
    const of = parents.flatMap((parent) => ids[parent % Math.max(index, 1)] ?? []);
    ids.push(
      await repository.createCommit({
        tree: emptyTree,
        parents: [...new Set(of)],
        author: signature,
        committer: signature,
        message: `commit ${index}`,
      }),
    );
  }
  return ids;
}

function linesOf(output: string): string[] {
  return output.split('\n').filter((line) => line !== '');
}

test('returns the same result as git for any graph of commits', async () => {
  await fc.assert(
    fc.asyncProperty(graphs, fc.nat(), fc.nat(), async (graph, first, second) => {
      const repository = new BareRepository(folder);
      const history = new History((sha) => repository.commit(sha));
      const ids = await commitsOf(repository, graph);
      const [a = '', b = ''] = [ids[first % ids.length], ids[second % ids.length]];
      const bases = linesOf(await git(folder, 'merge-base', '--all', a, b).catch(() => ''));
      expect(await history.mergeBase(a, b)).toEqual(bases.length > 1 ? undefined : { value: bases[0] });
      const commits = (await history.between(a, b))?.value.map(({ sha }) => sha);
      expect(commits).toEqual(linesOf(await git(folder, 'log', '--format=%H', `${a}..${b}`)));
      const ordered = await repository.between(a, b, { topological: true, max: 4 });
      const topological = await git(
        folder,
        'log',
        '--topo-order',
        '-n',
        '4',
        '--reverse',
        '--format=%H',
        `${a}..${b}`,
      );
      expect(ordered.map(({ sha }) => sha)).toEqual(linesOf(topological));
    }),
    {
      numRuns: 25,
      seed: 20_240_101,
      examples: [
        [twins, 0, 3],
        [alternating, 0, 5],
      ],
    },
  );
});

/** Returns a line of commits without files; the first is the newest. */
function lineOf(length: number): Map<string, Commit> {
  const signature = { ...person, date: '2024-01-01T00:00:00Z' };
  const ids = Array.from({ length }, (_, index) => String(index));
  return new Map(
    ids.map((sha, index) => {
      const parents = ids.slice(index + 1, index + 2);
      return [sha, { sha, tree: '', parents, author: signature, committer: signature, message: '' }];
    }),
  );
}

test('leaves a history of more than 100 commits to git', async () => {
  const line = lineOf(101);
  const history = new History((sha) => Promise.resolve(line.get(sha)));
  expect(await history.mergeBase('1', '2')).toEqual({ value: '2' });
  expect(await history.mergeBase('0', '2')).toBeUndefined();
  expect(await history.between('2', '0')).toBeUndefined();
});

test('leaves a history that is not complete to git', async () => {
  const line = lineOf(5);
  line.delete('4');
  const history = new History((sha) => Promise.resolve(line.get(sha)));
  expect(await history.mergeBase('0', '2')).toBeUndefined();
});

test('treats commits as linear when each commit is the only parent of the previous commit', () => {
  const line = [...lineOf(4).values()];
  expect(isLinear(line)).toBe(true);
  expect(isLinear([])).toBe(true);
  expect(isLinear(line.toSpliced(1, 1))).toBe(false);
  expect(isLinear(line.map((commit) => ({ ...commit, parents: [...commit.parents, 'x'] })))).toBe(false);
});
