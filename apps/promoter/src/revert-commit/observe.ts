import {
  branchRef,
  keyOf,
  repositoryKey,
  RevertCommit,
  TypedError,
  type CommitStatus,
  type PromotionStrategy,
  type PullRequest,
  type RevertCommitStatus,
} from '@interlock/api';
import { isProblem, Problem, type OrProblem } from '@interlock/base';
import type { HistoryReader } from '@interlock/git';
import { isControlledBy, Later, type Observation, type ObserveContext } from '@interlock/kube';
import { commitStatusesAt, referringTo } from '../caches.js';
import { isAncestor } from '../promotion/ancestry.js';
import { branchNameProblem } from '../promotion/branch-names.js';
import { environmentFacts } from '../promotion/facts.js';
import { hydratedCommit, type Refs } from '../promotion/hydrated.js';
import type { DriftCommit, HydratedCommit } from '../promotion/model.js';
import { heldByStrategy } from '../promotion/held.js';
import { takenChildProblem } from '../promotion/pull-request.js';
import { comesAfter } from '../promotion/reverts.js';
import type { StatusReads } from '../promotion/status-reads.js';
import { findStatuses, type StatusesOfCommit } from '../promotion/statuses.js';
import {
  activePathOf,
  checkKeys,
  driftPolicyOf,
  promotionStatusNameOf,
  proposedBranchOf,
  revertPolicyOf,
} from '../promotion/strategy-spec.js';
import { isStatusCurrent, type RepositoryView } from '../repository/repositories.js';
import type { PromoterContext } from '../context.js';
import { revertPullRequestKey, revertStatusKey } from './children.js';
import type { ObservedRevert, RevertFacts, RevertGates, Rejected } from './observed.js';
import { findRejected, findSubject, type SubjectSources } from './subject.js';

/** The Kubernetes objects of an observation, from the caches or fresh from the API server. */
interface RevertResources {
  revertCommit: RevertCommit;
  /** The objects with the names of its children, which may belong to others. */
  pullRequest: PullRequest | undefined;
  commitStatus?: CommitStatus | undefined;
  /** The strategies of its repository. */
  strategies: readonly PromotionStrategy[];
  /** RevertCommits of its repository, including itself. */
  reverts: readonly RevertCommit[];
  /** Returns the CommitStatuses of its namespace. */
  statusesFor: StatusesOfCommit;
}

interface Sources extends Pick<PromoterContext, 'caches' | 'repositories'> {
  manager: Pick<PromoterContext['manager'], 'isStale'>;
  reads: StatusReads;
}

/** Reads what a decision about a RevertCommit depends on. @throws TypedError of the git layer, or of a refresh. */
export async function readRevert(
  sources: Sources,
  revertCommit: RevertCommit,
  { isFresh, signal, now }: ObserveContext,
): Promise<Observation<ObservedRevert>> {
  const { caches, repositories, reads } = sources;
  const { activeBranch } = revertCommit.spec;
  const wrongName = branchNameProblem([{ field: 'spec.activeBranch', branch: activeBranch }]);
  if (wrongName !== undefined) return wrongName;
  const repository = repositoryKey(revertCommit);
  const reverts = referringTo(caches.revertCommits, repository);
  if (isFresh) checkKnown(sources, reverts);
  const view = isFresh
    ? await repositories.refresh(repository, signal)
    : repositories.view(repository, [branchRef(activeBranch)]);
  if (isStatusCurrent(revertCommit, view)) return new Later();
  const resources = {
    revertCommit,
    reverts,
    pullRequest: caches.pullRequests.get(revertPullRequestKey(revertCommit)),
    commitStatus: caches.commitStatuses.get(revertStatusKey(revertCommit)),
    strategies: referringTo(caches.strategies, repository),
    statusesFor: reads.recorded(revertCommit, commitStatusesAt(caches, repository, now)),
  };
  return observeRevert(resources, view);
}

/** @throws TypedError `Conflict` when the branches of other RevertCommits may be missing in the cache. */
function checkKnown({ manager, caches }: Sources, reverts: readonly RevertCommit[]): void {
  if (!reverts.some((one) => manager.isStale(RevertCommit, keyOf(one), caches.revertCommits))) return;
  const message = 'the branches of other RevertCommits are not known yet';
  throw new TypedError('Conflict', message, { reason: 'StaleCache' });
}

/** Returns what a decision about a RevertCommit depends on. @throws TypedError of the git layer. */
export async function observeRevert(
  resources: RevertResources,
  view: OrProblem<RepositoryView>,
): Promise<ObservedRevert> {
  const { revertCommit, pullRequest, commitStatus } = resources;
  const strategy = strategyOf(resources);
  const facts = isProblem(view)
    ? view
    : (strategy.problem ?? (await readFacts(resources, strategy.found, view)));
  return {
    revertCommit,
    facts,
    gates: gatesOf(resources, strategy.found, isProblem(facts) ? undefined : facts),
    pullRequest: pullRequest && isControlledBy(pullRequest, revertCommit) ? pullRequest : undefined,
    taken: takenChildProblem(revertCommit, pullRequest) ?? takenChildProblem(revertCommit, commitStatus),
  };
}

/** Returns the strategy of the environment; an environment need not belong to one. */
function strategyOf({ revertCommit, strategies }: RevertResources): {
  found?: PromotionStrategy;
  problem?: Problem;
} {
  const { activeBranch, activePath } = revertCommit.spec;
  const sharing = strategies.filter((one) => environmentOf(one, activeBranch) !== undefined);
  const found = sharing.filter((one) => pathIn(one, activeBranch) === activePath);
  const [first, ...others] = found;
  if (first !== undefined && others.length === 0) return { found: first };
  if (sharing.length === 0) return {};
  const paths = sharing.map(
    (one) => `${pathIn(one, activeBranch) ?? 'the whole branch'} (${one.metadata.name})`,
  );
  const message = `spec.activePath: the PromotionStrategies of ${activeBranch} promote ${paths.sort().join(', ')}, and ${found.length} of them promote ${activePath ?? 'the whole branch'}; set it to the activePath of exactly one of them`;
  return { problem: new Problem('AmbiguousStrategy', message) };
}

function environmentOf({ spec }: PromotionStrategy, activeBranch: string) {
  return spec.environments.find(({ branch }) => branch === activeBranch);
}

function pathIn(strategy: PromotionStrategy, activeBranch: string): string | undefined {
  const environment = environmentOf(strategy, activeBranch);
  return environment && activePathOf(strategy, environment);
}

function gatesOf(
  { revertCommit, statusesFor }: RevertResources,
  strategy: PromotionStrategy | undefined,
  facts: RevertFacts | undefined,
): RevertGates {
  const branch = revertCommit.spec.activeBranch;
  const environment = strategy && environmentOf(strategy, branch);
  if (strategy === undefined || environment === undefined) return { findings: [], skippableChecks: [] };
  const held = heldByStrategy({
    branch,
    hold: environment.hold,
    drift: facts?.drift ?? [],
    driftPolicy: driftPolicyOf(strategy, environment),
  });
  return {
    findings: findStatuses(checkKeys(strategy, environment), facts?.revertSHA, statusesFor, {
      branch,
      strategy: strategy.metadata,
    }),
    held,
    statusName: promotionStatusNameOf(strategy, branch),
    skippableChecks: revertPolicyOf(strategy, environment).skippableChecks,
    pullRequest: { ...strategy.spec.pullRequest, ...environment.pullRequest },
  };
}

async function readFacts(
  { revertCommit, reverts }: RevertResources,
  strategy: PromotionStrategy | undefined,
  view: RepositoryView,
): Promise<RevertFacts> {
  const { spec, status, metadata } = revertCommit;
  const { activeBranch, activePath } = spec;
  const { refs } = view;
  const mirror = view.mirror.at(activePath);
  const environment = strategy && environmentOf(strategy, activeBranch);
  const proposedBranch = strategy && environment ? proposedBranchOf(strategy, environment) : activeBranch;
  const facts = await environmentFacts(mirror, refs, {
    branch: activeBranch,
    proposedBranch,
    activePath,
  });
  const { active, tipSHA, drift } = facts;
  if (active === undefined || tipSHA === undefined) return { activeIs: 'other', contained: false, drift: [] };
  if (status?.target === undefined) {
    const others = reverts.filter((other) => other.metadata.name !== metadata.name);
    return unknownTarget(revertCommit, {
      mirror,
      refs,
      facts,
      active,
      healthy: healthyIn(strategy, activeBranch),
      taken: others.map((other) => other.status?.branch),
    });
  }
  const revertSHA = await builtRevert(mirror, refs, revertCommit, tipSHA);
  const made = status.revertSHA ?? revertSHA;
  return {
    active,
    tipSHA,
    drift: await driftAfter(mirror, drift, status.revertOf),
    activeIs: await compare(mirror, refs, status, active),
    revertSHA,
    contained: made !== undefined && (await isAncestor(mirror, made, tipSHA)) === true,
  };
}

async function unknownTarget(revertCommit: RevertCommit, sources: SubjectSources): Promise<RevertFacts> {
  const { mirror, refs, active } = sources;
  const base = { active, contained: false, drift: [] };
  const rejected = await findRejected(revertCommit, sources);
  if (isProblem(rejected)) return { ...base, activeIs: 'other', subject: rejected };
  const subject = await findSubject(revertCommit, rejected, sources);
  return { ...base, activeIs: await compare(mirror, refs, rejected, active), rejected, subject };
}

/* Existing drift is part of the rejected commit, deliberately. */
async function driftAfter(
  mirror: HistoryReader,
  drift: readonly DriftCommit[],
  revertOf: string | undefined,
): Promise<DriftCommit[]> {
  const later: DriftCommit[] = [];
  for (const commit of drift) {
    const before = revertOf !== undefined && (await isAncestor(mirror, commit.sha, revertOf)) === true;
    if (!before) later.push(commit);
  }
  return later;
}

function healthyIn(strategy: PromotionStrategy | undefined, activeBranch: string) {
  const environments = strategy?.status?.environments ?? [];
  return environments.find(({ branch }) => branch === activeBranch)?.lastHealthyDrySHAs ?? [];
}

/** Returns the tip of the revert's branch, if it has the required content. */
async function builtRevert(
  mirror: HistoryReader,
  refs: Refs,
  { status }: RevertCommit,
  tipSHA: string,
): Promise<string | undefined> {
  const sha = status?.branch === undefined ? undefined : refs.get(branchRef(status.branch));
  if (sha === undefined) return undefined;
  const { tree, parents } = await mirror.commit(sha);
  const isWanted = tree === status?.target?.treeSHA && parents.length === 1 && parents[0] === tipSHA;
  return isWanted ? sha : undefined;
}

async function compare(
  mirror: HistoryReader,
  refs: Refs,
  { revertOf, rejectedDrySHA }: Pick<RevertCommitStatus, keyof Rejected>,
  active: HydratedCommit,
): Promise<RevertFacts['activeIs']> {
  if (active.hydratedSHA === revertOf) return 'rejected';
  if (await comesAfter(mirror, rejectedDrySHA, active.drySHA)) return 'newer';
  if (revertOf === undefined || (await isAncestor(mirror, revertOf, active.hydratedSHA)) !== true)
    return 'other';
  const { drySHA } = await hydratedCommit(mirror, refs, revertOf);
  return drySHA !== undefined && drySHA === active.drySHA ? 'rejected' : 'other';
}
