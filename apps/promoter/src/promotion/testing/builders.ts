import { CommitStatus, labels, typeMeta, type CommitStatusPhase } from '@interlock/api';
import {
  noDrift,
  type Descends,
  type DryBranch,
  type HydratedCommit,
  type ObservedEnvironment,
  type StatusFinding,
} from '../model.js';

/** Returns a SHA that begins with `name`, which contains hexadecimal digits only. */
export const sha = (name: string): string => name.padEnd(40, '0');

/** Dry commits in the order of the dry branch: d1, d2, d3. */
export const [d1, d2, d3] = [sha('d1'), sha('d2'), sha('d3')] as const;

/** Returns the ancestry of a dry branch with exactly these commits. */
export const linear =
  (...shas: string[]): Descends =>
  (ancestor, descendant) => {
    if (ancestor === descendant) return true;
    const [from, to] = [shas.indexOf(ancestor), shas.indexOf(descendant)];
    return from < 0 || to < 0 ? undefined : from <= to;
  };

export const ancestry = linear(d1, d2, d3);

/** Returns a dry branch with this ancestry and tip. */
export const main = (descends: Descends = ancestry, tipSHA: string = d3): DryBranch => ({
  name: 'main',
  tipSHA,
  descends,
  behind: (drySHA) => (drySHA === tipSHA ? 0 : undefined),
});

export function commit(name: string, drySHA: string | undefined, tree = name): HydratedCommit {
  return {
    hydratedSHA: sha(name),
    originSHA: sha(name),
    treeSHA: sha(tree),
    drySHA,
    subject: `subject of ${name}`,
    author: 'A. Person',
  };
}

/**
 * Returns an environment that runs `active`, with the proposal `proposed`; if both are the same, there is nothing to do.
 */
export function environment(
  branch: string,
  active: string,
  proposed: string,
  more: Partial<ObservedEnvironment> = {},
): ObservedEnvironment {
  const tree = (dry: string) => `${dry.slice(0, 2)}e`;
  return {
    branch,
    proposedBranch: `${branch}-next`,
    active: commit('a1', active, tree(active)),
    proposed: commit('b1', proposed, tree(proposed)),
    unchangedBy: [],
    contained: false,
    ...noDrift,
    driftPolicy: 'Overwrite',
    dependsOn: [],
    reverts: [],
    activeStatuses: [],
    ...more,
  };
}

export function finding(key: string, phase: CommitStatusPhase | 'pending'): StatusFinding {
  const reason = phase === 'pending' ? 'Missing' : 'Reported';
  return { key, phase, reason, message: `${key} says ${phase}` };
}

export function commitStatus(
  name: string,
  key: string,
  commitSHA: string,
  phase: CommitStatusPhase,
): CommitStatus {
  return {
    ...typeMeta(CommitStatus),
    metadata: { name, namespace: 'team', labels: { [labels.commitStatusKey]: key } },
    spec: { repoRef: { name: 'repo' }, sha: commitSHA, name, phase },
  };
}
