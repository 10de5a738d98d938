import { isTyped, timestampOf, type Gate, type GateOverride, type GateState } from '@interlock/api';
import { isProblem } from '@interlock/base';
import { parseDuration } from '@interlock/service';
import { compileKeeper } from './keeper/compile.js';
import { contributionOf, verdictOf, type Verdict } from './keeper/judge.js';
import { closedTogether } from './keeper/together.js';
import { judgeOverrides } from './override/judge.js';
import { appliesTo } from './override/scope.js';
import { sinceOf } from './since.js';
import { nextChange } from './timeline/search.js';
import { intervals } from './timeline/intervals.js';
import { allOf, anyOf, constant, interval, not, type Timeline } from './timeline/timeline.js';
import type { ObjectProblem } from './object-problem.js';
import type {
  Contribution,
  DecideOptions,
  GateDecision,
  KeeperInput,
  NextDecision,
  OverrideState,
  Subject,
} from './types.js';

/** How far ahead and back changes are searched: ten years. */
export const horizonMs = 3653 * 86_400_000;
export const defaultStateTtlMs = 3_600_000;

/**
 * Decides the state of a gate.
 *
 * The order of precedence is: an invalid object closes it; a Close in force; the newest Open in force; a keeper that is
 * Closed; a keeper that cannot be evaluated, by the gate's failurePolicy; a valid keeper opens it; `spec.closed`.
 *
 * @param now ms since the epoch
 * @param keepers the keepers whose `spec.gate` is the gate; others are ignored
 * @param overrides the overrides whose `spec.gateRef` is the gate; others are ignored
 * @param subject the object for which the gate is evaluated; overrides scoped to it count. Without a subject no scoped
 *   override counts.
 */
export function decideGate(
  now: number,
  gate: Gate,
  keepers: readonly KeeperInput[],
  overrides: readonly GateOverride[],
  subject?: Subject,
  options: DecideOptions = {},
): GateDecision {
  const situation = situationOf(now, gate, keepers, overrides, subject, options);
  const { state, cause, message } = verdictAt(situation, now);
  const { stateTtlMs = defaultStateTtlMs, recordedAt } = options;
  const since = sinceOf(now, gate, state, situation, { stateTtlMs, recordedAt });
  const { next, knownUntil } = nextOf(situation, now);
  return {
    state,
    cause,
    message,
    since,
    next,
    validUntil: Math.min(knownUntil, now + stateTtlMs),
    contributions: contributionsOf(situation, now),
    problems: situation.problems,
  };
}

/** Everything that the state depends on, as functions of time. */
interface Situation {
  gate: Gate;
  problems: ObjectProblem[];
  verdicts: Verdict[];
  /** Overrides in scope that are in force at some time; the newest last. */
  overrides: OverrideState[];
  /** The state of the gate while a keeper is Unknown; absent if none is. */
  onUnknown?: GateState | undefined;
  /** The combined state. */
  closed: Timeline;
  /** Instants at which overrides begin and end. */
  edges: ReadonlySet<number>;
}

function situationOf(
  now: number,
  gate: Gate,
  keepers: readonly KeeperInput[],
  overrides: readonly GateOverride[],
  subject: Subject | undefined,
  options: DecideOptions,
): Situation {
  const { name, namespace } = gate.metadata;
  const own = keepers.filter(
    ({ keeper }) => keeper.spec.gate === name && keeper.metadata.namespace === namespace,
  );
  const compiled = own.map(({ keeper }) => (options.compile ?? compileKeeper)(keeper));
  const verdicts = own.map((input, index) =>
    verdictOf(now, input, compiled[index] ?? compileKeeper(input.keeper)),
  );
  const problems = [
    ...gateProblems(gate),
    ...compiled.flatMap((one) => one.problems),
    ...own.flatMap(inputProblems),
  ];
  const judged = judgeOverrides(now, gate, overrides, { stamps: options.stamps ?? 'optional' });
  const applying = judged.filter(
    ({ override, phase }) => phase !== 'Rejected' && appliesTo(override, subject),
  );
  const unknown = verdicts.some(({ kind }) => kind === 'Unknown');
  const onUnknown = unknown ? failureState(gate) : undefined;
  const partial = { gate, problems, verdicts, overrides: applying, onUnknown };
  const created = own.map(({ keeper }) => createdAt(keeper.metadata.creationTimestamp));
  return {
    ...partial,
    closed:
      problems.length > 0
        ? constant(true)
        : composed(partial, closedTogether(compiled, verdicts, created, gate.spec.closed)),
    edges: new Set(applying.flatMap(({ requestedAt, endsAt }) => [requestedAt, endsAt ?? Infinity])),
  };
}

/**
 * Returns when the gate is closed.
 *
 * @param keepers when the keepers close the gate; if the gate is closed without keepers, also the time before they
 *   existed
 */
function composed(
  { gate, verdicts, overrides, onUnknown }: Omit<Situation, 'closed' | 'edges'>,
  keepers: Timeline,
): Timeline {
  const isClosed = verdicts.length === 0 ? gate.spec.closed : onUnknown === 'Closed';
  const base = isClosed ? constant(true) : keepers;
  if (overrides.length === 0) return base;
  const inForce = (effect: 'Open' | 'Close') =>
    intervals(
      overrides
        .filter(({ override }) => override.spec.effect === effect)
        .map(({ requestedAt, endsAt }) => [requestedAt, endsAt ?? Infinity]),
    );
  return anyOf([inForce('Close'), allOf([base, not(inForce('Open'))])]);
}

function timeOf({ requestedAt, endsAt }: OverrideState): Timeline {
  return interval(requestedAt, endsAt ?? Infinity);
}

function createdAt(timestamp: string | undefined): number {
  return timestamp === undefined ? -Infinity : Date.parse(timestamp);
}

function failureState(gate: Gate): GateState {
  const { failurePolicy } = gate.spec;
  return failurePolicy === 'Hold' ? (gate.status?.state ?? 'Closed') : failurePolicy;
}

function gateProblems(gate: Gate): ObjectProblem[] {
  try {
    parseDuration(gate.spec.maxOverride);
    return [];
  } catch (error) {
    if (!isTyped(error)) throw error;
    const object = `Gate/${gate.metadata.name}`;
    return [{ object, field: 'spec.maxOverride', value: gate.spec.maxOverride, message: error.message }];
  }
}

/** Returns the problems of unacceptable inputs. Their author must correct them, so `failurePolicy` does not apply. */
function inputProblems({ keeper, calendar, over }: KeeperInput): ObjectProblem[] {
  const object = `GateKeeper/${keeper.metadata.name}`;
  return Object.entries({ 'spec.calendar': calendar, 'spec.expression.over': over }).flatMap(
    ([field, input]) =>
      isProblem(input) && !input.transient ? [{ object, field, value: '', message: input.message }] : [],
  );
}

interface Answer {
  state: GateState;
  cause: string;
  message: string;
}

function verdictAt(situation: Situation, t: number): Answer {
  const { gate, problems, verdicts, overrides, onUnknown } = situation;
  const [problem] = problems;
  if (problem !== undefined)
    return {
      state: 'Closed',
      cause: 'Invalid',
      message: `closed because ${problem.object} is invalid: ${problem.field}: ${problem.message}`,
    };
  const overriding = overrideAt(overrides, t);
  if (overriding !== undefined) return ofOverride(overriding);
  const closing = verdicts.find(({ closed }) => closed.at(t));
  if (closing !== undefined)
    return { state: 'Closed', cause: closing.source, message: `${closing.source}: ${closing.describe(t)}` };
  const unknown = verdicts.find(({ kind }) => kind === 'Unknown');
  if (unknown !== undefined && onUnknown !== undefined)
    return {
      state: onUnknown,
      cause: 'FailurePolicy',
      message: `${onUnknown === 'Open' ? 'open' : 'closed'} by failurePolicy ${gate.spec.failurePolicy}, because ${unknown.source} cannot be evaluated: ${unknown.describe(t)}`,
    };
  const [keeper] = verdicts;
  if (keeper !== undefined)
    return { state: 'Open', cause: keeper.source, message: `open: no GateKeeper closes it` };
  return gate.spec.closed
    ? {
        state: 'Closed',
        cause: 'Default',
        message: 'closed by spec.closed; no GateKeeper or override opens it',
      }
    : { state: 'Open', cause: 'Default', message: 'open: no GateKeeper or override closes it' };
}

/**
 * Returns the override that decides at `t`: a Close takes precedence over an Open, and a newer override over an older
 * one.
 */
function overrideAt(overrides: readonly OverrideState[], t: number): OverrideState | undefined {
  const inForce = overrides.filter((state) => timeOf(state).at(t));
  return (
    inForce.findLast(({ override }) => override.spec.effect === 'Close') ??
    inForce.findLast(({ override }) => override.spec.effect === 'Open')
  );
}

function ofOverride({ override, actor, endsAt }: OverrideState): Answer {
  const { effect, reason } = override.spec;
  const until = endsAt === undefined || endsAt === Infinity ? '' : ` until ${timestampOf(endsAt)}`;
  const verb = effect === 'Open' ? 'opened' : 'closed';
  return {
    state: effect === 'Open' ? 'Open' : 'Closed',
    cause: `GateOverride/${override.metadata.name}`,
    message: `${verb} by ${actor}${until}: ${reason}`,
  };
}

function nextOf(situation: Situation, now: number): { next?: NextDecision; knownUntil: number } {
  const horizon = Math.min(
    now + horizonMs,
    ...situation.verdicts.map(({ knownUntil }) => knownUntil ?? Infinity),
  );
  const { at, isChange } = nextChange(situation.closed, now, horizon);
  if (!isChange) return { knownUntil: at };
  const { state, cause } = verdictAt(situation, at);
  return { next: { at, state, cause }, knownUntil: at };
}

function contributionsOf({ verdicts, overrides }: Situation, now: number): Contribution[] {
  return [
    ...verdicts.map((verdict) => contributionOf(verdict, now, now + horizonMs)),
    ...overrides
      .filter((state) => timeOf(state).at(now))
      .map((state): Contribution => {
        const { state: effect, message, cause } = ofOverride(state);
        return { source: cause, effect, message, next: state.endsAt };
      }),
  ];
}
