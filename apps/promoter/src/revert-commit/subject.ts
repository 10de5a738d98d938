import { shortSHA, type RevertCommit } from '@interlock/api';
import { isProblem, Problem, type OrProblem } from '@interlock/base';
import type { HistoryReader } from '@interlock/git';
import { isAncestor } from '../promotion/ancestry.js';
import { hydratedCommit, hydrationNotesOf, type Refs } from '../promotion/hydrated.js';
import type { EnvironmentFacts, HydratedCommit } from '../promotion/model.js';
import { comesAfter } from '../promotion/reverts.js';
import { healthyTarget, type HealthyCommit } from '../promotion-strategy/last-healthy.js';
import { revertBranch } from './branch.js';
import type { Rejected, RevertTarget, Subject } from './observed.js';

const searched = 500;
/** Commits whose metadata are fetched together. */
const atOnce = 25;

export interface SubjectSources {
  /** History at the active path. */
  mirror: HistoryReader;
  refs: Refs;
  facts: EnvironmentFacts;
  active: HydratedCommit;
  /** Commits that the strategy recorded as healthy, newest first. */
  healthy: readonly HealthyCommit[];
  /** Branches of other RevertCommits. */
  taken: readonly (string | undefined)[];
}

/**
 * Finds the commit to revert: from the status, or else the spec, or else the active commit.
 * @returns a problem that names the field and the fix when there is no such commit.
 * @throws TypedError of the git layer.
 */
export async function findRejected(
  { spec, status }: RevertCommit,
  { mirror, refs, facts, active }: SubjectSources,
): Promise<OrProblem<Rejected>> {
  const { revertOf = spec.revertOf ?? active.hydratedSHA, rejectedDrySHA } = status ?? {};
  if (status?.revertOf !== undefined) return rejected(revertOf, rejectedDrySHA);
  /* A newer dry commit that renders the same content is rejected too. */
  if (revertOf === active.hydratedSHA) return rejected(revertOf, facts.unchangedBy.at(-1) ?? active.drySHA);
  if ((await isAncestor(mirror, revertOf, active.hydratedSHA)) !== true) {
    return notInHistory('spec.revertOf', revertOf, facts.branch);
  }
  return rejected(revertOf, (await hydratedCommit(mirror, refs, revertOf)).drySHA);
}

function rejected(revertOf: string, rejectedDrySHA: string | undefined): Rejected {
  return { revertOf, rejectedDrySHA };
}

/**
 * Finds the target of a RevertCommit.
 * @returns a problem that names the field and the fix when there is no target.
 * @throws TypedError of the git layer.
 */
export async function findSubject(
  { spec, metadata }: RevertCommit,
  what: Rejected,
  sources: SubjectSources,
): Promise<OrProblem<Subject>> {
  const { mirror, active } = sources;
  const { rejectedDrySHA } = what;
  const target = await findTarget(spec, sources, rejectedDrySHA);
  if (isProblem(target)) return target;
  if (target.treeSHA === active.treeSHA) {
    const message = `${spec.activeBranch} already has the content of ${shortSHA(target.hydratedSHA)}; choose another target`;
    return noTarget('NothingToRevert', message);
  }
  if (await comesAfter(mirror, rejectedDrySHA, target.drySHA)) {
    const message = `${shortSHA(target.drySHA)} comes after ${shortSHA(rejectedDrySHA)}, which ${spec.activeBranch} runs; to go forward, promote it`;
    return noTarget('TargetIsNewer', message);
  }
  return {
    ...what,
    target,
    branch: revertBranch(metadata.name, spec.activeBranch, what.revertOf, sources.taken),
  };
}

async function findTarget(
  spec: RevertCommit['spec'],
  sources: SubjectSources,
  rejectedDrySHA: string | undefined,
): Promise<OrProblem<RevertTarget>> {
  const { mirror, refs, facts, active, healthy } = sources;
  const choice =
    spec.drySHA === undefined
      ? healthyTarget(healthy, active, rejectedDrySHA)
      : healthy.find(({ sha, treeSHA }) => sha === spec.drySHA && treeSHA !== active.treeSHA);
  const drySHA = spec.hydratedSHA === undefined ? (spec.drySHA ?? choice?.sha) : undefined;
  const hydratedSHA =
    spec.hydratedSHA ??
    (await recordedIn(choice, sources)) ??
    (drySHA && (await findByDrySHA(drySHA, sources)));
  if (drySHA === undefined && hydratedSHA === undefined) {
    const message = `no strategy records another healthy commit of ${facts.branch}; set spec.drySHA or spec.hydratedSHA`;
    return noTarget('NoHealthyCommit', message);
  }
  if (hydratedSHA === undefined) {
    const message = `spec.drySHA: none of the last ${searched} commits of ${facts.branch} was hydrated from ${drySHA ?? ''}, except the active commit; name a dry commit that was active there before`;
    return noTarget('TargetNotFound', message);
  }
  if ((await isAncestor(mirror, hydratedSHA, active.hydratedSHA)) !== true) {
    return notInHistory('spec.hydratedSHA', hydratedSHA, facts.branch);
  }
  const commit = await hydratedCommit(mirror, refs, hydratedSHA);
  const madeFrom = drySHA ?? commit.drySHA;
  return { drySHA: madeFrom, hydratedSHA, treeSHA: commit.treeSHA };
}

/** Returns the commit that was healthy; undefined if the branch was reset and no longer contains it. */
async function recordedIn(
  healthy: HealthyCommit | undefined,
  { mirror, active }: SubjectSources,
): Promise<string | undefined> {
  const sha = healthy?.hydratedSHA;
  if (sha === undefined) return undefined;
  return (await isAncestor(mirror, sha, active.hydratedSHA)) === true ? sha : undefined;
}

/** Returns the newest commit of the environment branch that was hydrated from a dry commit, except the active one. */
async function findByDrySHA(
  drySHA: string,
  { mirror, refs, active }: SubjectSources,
): Promise<string | undefined> {
  const shas = await mirror.firstParents(active.hydratedSHA, searched);
  for (let start = 0; start < shas.length; start += atOnce) {
    const found = await Promise.all(
      shas.slice(start, start + atOnce).map(async (sha) => {
        const commit = await hydratedCommit(mirror, refs, sha);
        if (commit.treeSHA === active.treeSHA) return undefined;
        const isOutput =
          commit.drySHA === drySHA || (await hydrationNotesOf(mirror, refs, sha)).includes(drySHA);
        return isOutput ? sha : undefined;
      }),
    );
    const newest = found.find((sha) => sha !== undefined);
    if (newest !== undefined) return newest;
  }
  return undefined;
}

function notInHistory(field: string, sha: string, branch: string): Problem {
  const message = `${field}: ${sha} is not in the history of ${branch}; name a commit that was active there`;
  return noTarget('NotInHistory', message);
}

/* The revert does not continue until the spec is changed, or the RevertCommit is deleted. */
function noTarget(reason: string, message: string): Problem {
  return new Problem(reason, message, { transient: false });
}
