import { hydratorNotesRef } from '@interlock/git';
import type { LocalRepository } from '../git.js';
import type { FoundEnvironment } from './environments.js';
import { fileDrySHAOf, parseDrySHA } from './hydrated.js';

/** The state of an environment before the replay. */
interface Rewound extends FoundEnvironment {
  active: string;
  proposed: string;
}

/** The hydration of one dry commit. */
export interface ReplayStep {
  drySHA: string;
  subject: string;
  /** Commits to push, by proposed branch. Environments that skipped the dry commit are absent. */
  proposed: Map<string, string>;
  /** Hydrated commits whose note changes to this dry commit. */
  noted: string[];
}

export interface ReplayPlan {
  dryBranch: string;
  /** The dry branch before the first step. */
  dryStart: string;
  environments: Rewound[];
  /** Dry commits in the notes of the commits with which the replay begins, by hydrated commit. */
  notes: Map<string, string>;
  steps: ReplayStep[];
}

/**
 * Plans a replay of the last promotions of a repository. Every environment branch goes back by `count` first-parent
 * commits, and its proposed branch to the commit of the same dry commit. Then hydration is repeated with the original
 * commits and notes.
 */
export async function planReplay(
  repository: LocalRepository,
  dryBranch: string,
  found: readonly FoundEnvironment[],
  count: number,
): Promise<ReplayPlan> {
  const dryCommits = await readSubjects(repository, dryBranch);
  const position = new Map(dryCommits.map(({ sha }, index) => [sha, index]));
  const histories = await Promise.all(found.map((environment) => rewind(repository, environment, count)));
  /* A younger environment goes back to its first commit, which has no dry commit. */
  const starts = histories.flatMap(({ start }) => position.get(start ?? '') ?? []);
  const first = Math.min(...starts, dryCommits.length - 1);
  const noteEvents = await readNoteEvents(repository);
  const steps = dryCommits.slice(first + 1).map(({ sha: drySHA, subject }): ReplayStep => {
    const proposed = new Map<string, string>();
    for (const { environment, later } of histories) {
      const commit = later.findLast((one) => one.drySHA === drySHA);
      if (commit) proposed.set(environment.proposedBranch, commit.sha);
    }
    const noted = noteEvents.filter((event) => event.drySHA === drySHA).map(({ commit }) => commit);
    return { drySHA, subject, proposed, noted: [...new Set(noted)] };
  });
  return {
    dryBranch,
    dryStart: dryCommits[first]?.sha ?? dryBranch,
    environments: histories.map(({ environment }) => environment),
    notes: new Map(
      histories.flatMap(({ environment, start }) =>
        start === undefined ? [] : [[environment.proposed, start]],
      ),
    ),
    steps,
  };
}

interface Hydration {
  sha: string;
  drySHA: string | undefined;
}

interface History {
  environment: Rewound;
  /** The dry commit to which the environment goes back. */
  start: string | undefined;
  /** The later commits of the proposed branch, oldest first. */
  later: Hydration[];
}

async function rewind(repository: LocalRepository, found: FoundEnvironment, count: number): Promise<History> {
  const firstParents = (branch: string, limit: string) =>
    repository.lines(['rev-list', '--first-parent', limit, `refs/heads/${branch}`]);
  const actives = await firstParents(found.branch, `--max-count=${count + 1}`);
  const active = actives.at(-1) ?? '';
  const start = await fileDrySHAOf(repository, active);
  const proposals: Hydration[] = [];
  for (const sha of await firstParents(found.proposedBranch, '--max-count=2000')) {
    const drySHA = await fileDrySHAOf(repository, sha);
    proposals.unshift({ sha, drySHA });
    if (drySHA === start) break;
  }
  const [begin, ...later] = proposals;
  return { environment: { ...found, active, proposed: begin?.sha ?? active }, start, later };
}

interface NoteEvent {
  commit: string;
  drySHA: string;
}

/** Returns all notes in history, oldest first. A note that changed is contained several times. */
async function readNoteEvents(repository: LocalRepository): Promise<NoteEvent[]> {
  if ((await repository.resolve(hydratorNotesRef)) === undefined) return [];
  const log = [
    'log',
    '--reverse',
    '--first-parent',
    '--root',
    '--format=',
    '--raw',
    '--no-abbrev',
    '--no-renames',
  ];
  const lines = await repository.lines([...log, hydratorNotesRef]);
  const changes = lines.flatMap((line) => {
    const [meta = '', path = ''] = line.split('\t');
    const blob = meta.split(' ')[3];
    return blob === undefined || /^0+$/.test(blob) ? [] : [{ blob, commit: path.replaceAll('/', '') }];
  });
  const contents = await readBlobs(repository, new Set(changes.map(({ blob }) => blob)));
  return changes.flatMap(({ blob, commit }) => {
    const drySHA = parseDrySHA(contents.get(blob));
    return drySHA === undefined ? [] : [{ commit, drySHA }];
  });
}

async function readSubjects(
  repository: LocalRepository,
  branch: string,
): Promise<{ sha: string; subject: string }[]> {
  const lines = await repository.lines(['log', '--topo-order', '--reverse', '--format=%H %s', branch]);
  return lines.map((line) => ({
    sha: line.slice(0, line.indexOf(' ')),
    subject: line.slice(line.indexOf(' ') + 1),
  }));
}

/** Returns the content of blobs by SHA. Notes are one line each. */
async function readBlobs(
  repository: LocalRepository,
  shas: ReadonlySet<string>,
): Promise<Map<string, string>> {
  const lines = await repository.lines(['cat-file', '--batch'], { input: [...shas].join('\n') });
  const contents = new Map<string, string>();
  let blob = '';
  for (const line of lines) {
    const [header] = /^[0-9a-f]{40}(?= blob \d+$)/.exec(line) ?? [];
    if (header !== undefined) blob = header;
    else contents.set(blob, `${contents.get(blob) ?? ''}${line}`);
  }
  return contents;
}
