import fc from 'fast-check';
import type { TestRemote } from './sandbox.js';

export interface GraphCommit {
  /** Indexes of its parents. */
  parents: readonly number[];
  /** Contents of its files, by name. */
  contents: Readonly<Record<string, string>>;
}

/** Yields histories with merges and several roots, in which contents recur. */
export function graphs(maxLength: number): fc.Arbitrary<GraphCommit[]> {
  const content = fc.constantFrom('1', '2', '3');
  const commit = fc.record({
    chosen: fc.array(fc.nat({ max: 1_000 }), { maxLength: 2 }),
    contents: fc.record({ a: content, b: content }, { requiredKeys: ['a'] }),
  });
  return fc.array(commit, { minLength: 2, maxLength }).map((all) =>
    all.map(({ chosen, contents }, index) => ({
      parents: index === 0 ? [] : [...new Set(chosen.map((n) => n % index))],
      contents: { ...contents },
    })),
  );
}

/** Returns the branch of a commit. */
export function branchOf(index: number): string {
  return `refs/heads/c${index}`;
}

/**
 * Commits a graph to a remote. Returns the SHAs. @param marker a text in the messages, so that no other graph has the
 * same commits
 */
export function commitGraph(remote: TestRemote, graph: readonly GraphCommit[], marker: string): string[] {
  const commits = graph.map(({ parents, contents }, index) => {
    const [first, ...merged] = parents.map(branchOf);
    return [
      ...(first === undefined ? [`reset ${branchOf(index)}`] : []),
      `commit ${branchOf(index)}`,
      `committer A <a@example.com> ${1_700_000_000 + index} +0000`,
      data(`${marker} ${index}`),
      ...(first === undefined ? [] : [`from ${first}`]),
      ...merged.map((one) => `merge ${one}`),
      'deleteall',
      ...Object.entries(contents).map(([name, content]) => `M 100644 inline ${name}\n${data(content)}`),
      '',
    ].join('\n');
  });
  remote.git(['fast-import', '--quiet', '--force'], commits.join('\n'));
  return graph.map((_, index) => remote.tip(branchOf(index)) ?? '');
}

function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}`;
}
