import {
  messageOf,
  shortSHA,
  type ArgoCDCommitStatus,
  type EnvironmentHealth,
  type FluxCommitStatus,
  type HealthSourceStatus,
  type SelectedObject,
} from '@interlock/api';
import { isProblem, Problem, truncate, type OrProblem } from '@interlock/base';
import type { ApplyConfiguration } from '@interlock/kube';
import { commitStatusOf } from './child.js';
import {
  activeEnvironments,
  nothingActive,
  worstPhase,
  type ActiveEnvironment,
  type JudgedObject,
  type ObservedSource,
  type SourceDecision,
  type Verdict,
} from './model.js';
import { firstTakenName, obsoleteChildren, strategyNotFound, takenName } from './children.js';
import { namespacesOf } from './selector.js';
import { settle, settleMs } from './settle.js';
import { sourceConditions } from './status.js';
import { renderUrl } from './url.js';

const maxSelected = 100;
const maxMessage = 1024;
const maxObjectMessage = 256;

export type HealthSource = ArgoCDCommitStatus | FluxCommitStatus;

interface ObservedHealth {
  observed: ObservedSource<HealthSource>;
  /** The selected objects, or why they are not known. */
  objects: OrProblem<readonly JudgedObject[]>;
  /** What is wrong with a part of the spec, without effect on the other environments. */
  specProblem?: Problem | undefined;
  /** The noun for the objects in messages: `Applications`. */
  noun: string;
  /** Returns why no object runs an environment, and what to do. */
  nothingSelected: (branch: string) => string;
}

/** Returns a selected object that runs an environment, with what it reports about the commit that is active there. */
export function judgedIn(
  { branch, sha, tip }: ActiveEnvironment,
  object: Omit<JudgedObject, 'branch' | 'verdict'>,
  judge: (sha: string, tip: string | undefined) => Verdict,
): JudgedObject {
  return { ...object, branch, verdict: sha === undefined ? nothingActive : judge(sha, tip) };
}

/**
 * Returns the environments of a source's strategy, and the namespaces in which the source selects objects, as text for messages.
 */
export function scopeOf({ source, strategy }: ObservedSource<HealthSource>): {
  environments: ActiveEnvironment[];
  where: string;
} {
  const namespaces = namespacesOf(source);
  return {
    environments: strategy === undefined ? [] : activeEnvironments(strategy),
    where: namespaces === 'all' ? 'any namespace' : `namespace ${namespaces.join(', ')}`,
  };
}

/** Returns what a health source reports. Pure; `now` in milliseconds since the epoch. */
export function decideHealth(seen: ObservedHealth, now: number): SourceDecision<HealthSourceStatus> {
  const { source, strategy } = seen.observed;
  const { environments } = scopeOf(seen.observed);
  const objects = isProblem(seen.objects)
    ? seen.objects
    : seen.objects.map((object) => withLastFailure(source, environments, object));
  const health = { ...seen, objects };
  const problem = problemOf(health);
  const reports = environments.map((environment) => assess(health, environment, problem, now));
  const waits = reports.flatMap(({ settlesAt }) => (settlesAt === undefined ? [] : [settlesAt - now]));
  const requeueAfterMs = Math.min(...waits, problem?.retryAfterMs ?? Infinity);
  const states = reports.map(({ state }) => state);
  return {
    commitStatuses: strategy === undefined ? [] : reports.flatMap((report) => children(health, report)),
    obsolete: obsoleteChildren(health.observed, environments),
    status: {
      observedGeneration: source.metadata.generation ?? 0,
      conditions: sourceConditions(source, problem ?? health.specProblem, states, now),
      phase: problem === undefined ? worstPhase(states.map(({ phase }) => phase)) : 'in_progress',
      environments: states,
      selected: isProblem(objects) ? [] : selectedObjects(objects),
    },
    ...(Number.isFinite(requeueAfterMs) && { requeueAfterMs }),
  };
}

interface Assessment {
  environment: ActiveEnvironment;
  state: EnvironmentHealth;
  deciding: JudgedObject | undefined;
  settlesAt?: number | undefined;
}

function assess(
  health: ObservedHealth,
  environment: ActiveEnvironment,
  problem: Problem | undefined,
  now: number,
): Assessment {
  const { branch, sha } = environment;
  const before = health.observed.source.status?.environments?.find((known) => known.branch === branch);
  const wasSuccess = before?.observed === 'success' && before.sha === sha;
  const objects = isProblem(health.objects)
    ? []
    : health.objects
        .filter((object) => object.branch === branch)
        .map((object) => (wasSuccess ? withoutRepetition(object) : object))
        .sort(worstFirst);
  const verdict = problem
    ? { phase: 'in_progress' as const, message: problem.message }
    : aggregate(health, environment, objects);
  const { phase, observedSince, settlesAt } = settle(before, sha, verdict, now);
  const message =
    settlesAt === undefined
      ? verdict.message
      : `${verdict.message}; this state counts once it has lasted ${settleMs / 1000} s`;
  return {
    environment,
    deciding: objects[0],
    settlesAt,
    state: {
      branch,
      ...(sha !== undefined && { sha }),
      phase,
      message: truncate(message, maxMessage),
      selected: objects.length,
      observed: verdict.phase,
      observedSince,
    },
  };
}

/**
 * Returns an object that failed for the commit before, and whose next attempt has not ended: a failure that lasts would otherwise
 * begin again with each retry.
 */
function withLastFailure(
  { status }: HealthSource,
  environments: readonly ActiveEnvironment[],
  object: JudgedObject,
): JudgedObject {
  const { kind, namespace, name, branch, verdict } = object;
  if (verdict.isRetrying !== true) return object;
  const before = status?.environments?.find((known) => known.branch === branch);
  const isSameCommit = environments.some((one) => one.branch === branch && one.sha === before?.sha);
  const last = status?.selected?.find(
    (one) => one.kind === kind && one.namespace === namespace && one.name === name && one.branch === branch,
  );
  if (!isSameCommit || last?.phase !== 'failure') return object;
  return { ...object, verdict: { phase: 'failure', message: last.message ?? verdict.message } };
}

/** Returns an object that was successful, and whose repetition of the same work has not failed. */
function withoutRepetition(object: JudgedObject): JudgedObject {
  const { isRepeating, ...verdict } = object.verdict;
  return isRepeating === true ? { ...object, verdict: { ...verdict, phase: 'success' } } : object;
}

/**
 * Returns the verdict on an environment: a failure if one object failed, a success if all objects are successful, and in
 * progress otherwise.
 * @param objects the objects of the environment, the worst first.
 */
function aggregate(
  { noun, nothingSelected }: Pick<ObservedHealth, 'noun' | 'nothingSelected'>,
  { branch, sha }: ActiveEnvironment,
  objects: readonly JudgedObject[],
): Verdict {
  if (sha === undefined) {
    return {
      phase: 'in_progress',
      message: `the PromotionStrategy does not yet report the active commit of ${branch}`,
    };
  }
  const [worst] = objects;
  if (worst === undefined) return { phase: 'in_progress', message: nothingSelected(branch) };
  const count = objects.length;
  const numberOf = (phase: Verdict['phase']) =>
    objects.filter(({ verdict }) => verdict.phase === phase).length;
  const changedAt = Math.max(0, ...objects.map(({ verdict }) => verdict.changedAt ?? 0));
  const because = `${worst.namespace}/${worst.name} ${worst.verdict.message}`;
  switch (worst.verdict.phase) {
    case 'failure':
      return {
        phase: 'failure',
        message: `${numberOf('failure')} of ${count} ${noun} failed: ${because}`,
        changedAt,
      };
    case 'in_progress':
      return {
        phase: 'in_progress',
        message: `${numberOf('success')} of ${count} ${noun} are healthy on ${shortSHA(sha)}; ${because}`,
      };
    case 'success':
      return {
        phase: 'success',
        message: `${count} of ${count} ${noun} are healthy on ${shortSHA(sha)}`,
        changedAt,
      };
  }
}

function children(
  health: ObservedHealth,
  { environment, state, deciding }: Assessment,
): ApplyConfiguration[] {
  const { source, strategy, children: existing } = health.observed;
  const { branch, sha } = environment;
  if (sha === undefined || strategy === undefined) return [];
  if (takenName(source, branch, existing) !== undefined) return [];
  const template = source.spec.url?.template;
  const url = template === undefined ? undefined : urlOf(template, health, environment, deciding);
  return [
    commitStatusOf(source, strategy, { branch, sha, phase: state.phase, description: state.message, url }),
  ];
}

function urlOf(
  template: string,
  { observed }: ObservedHealth,
  environment: ActiveEnvironment,
  deciding: JudgedObject | undefined,
): string | undefined {
  try {
    return renderUrl(template, observed.strategy, environment, deciding);
  } catch {
    /* The condition reports it; the phase is in_progress until then. */
    return undefined;
  }
}

/**
 * Returns the problem of a source. A gate that cannot be evaluated is closed: with any problem, all environments are in
 * progress.
 */
function problemOf({ observed, objects }: ObservedHealth): Problem | undefined {
  const { source, strategy } = observed;
  const template = source.spec.url?.template;
  if (template !== undefined) {
    try {
      renderUrl(template, strategy, { branch: '' }, undefined);
    } catch (error) {
      return new Problem('InvalidTemplate', `spec.url.${messageOf(error)}`, { transient: false });
    }
  }
  if (strategy === undefined) return strategyNotFound(source);
  return firstTakenName(observed, activeEnvironments(strategy)) ?? (isProblem(objects) ? objects : undefined);
}

function selectedObjects(objects: readonly JudgedObject[]): SelectedObject[] {
  return [...objects]
    .sort(worstFirst)
    .slice(0, maxSelected)
    .map(({ kind, namespace, name, branch, verdict }) => ({
      kind,
      namespace,
      name,
      ...(branch !== undefined && { branch, phase: verdict.phase }),
      message: truncate(verdict.message, maxObjectMessage),
    }));
}

const ranks = { failure: 0, in_progress: 1, success: 2 } as const;

function worstFirst(a: JudgedObject, b: JudgedObject): number {
  return (
    rank(a) - rank(b) ||
    compare(a.namespace, b.namespace) ||
    compare(a.name, b.name) ||
    compare(a.kind, b.kind)
  );
}

/* Objects that do not run an environment are not counted. */
function rank({ branch, verdict }: JudgedObject): number {
  return branch === undefined ? 3 : ranks[verdict.phase];
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
