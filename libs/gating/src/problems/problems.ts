import {
  isTyped,
  messageOf,
  type Gate,
  type GateBinding,
  type GateKeeper,
  type GateOverride,
} from '@interlock/api';
import { matchesPattern } from '@interlock/cel';
import { parseDuration } from '@interlock/service';
import { compileKeeper } from '../keeper/compile.js';
import { problemOfExpr } from '../require.js';
import type { ObjectProblem } from '../object-problem.js';

type Report = (field: string, value: string, message: string) => void;

/** Any object of the gating API group. */
export type GatingObject = Gate | GateKeeper | GateOverride | GateBinding;

/**
 * Returns the problems of an object by itself, each with the field, its value and the correction; empty if there are
 * none.
 *
 * Rules that depend on other objects, such as the maxOverride of its gate, are not checked here: see `judgeOverrides`.
 */
export function problemsOf(object: GatingObject): ObjectProblem[] {
  const problems: ObjectProblem[] = [];
  const name = `${object.kind}/${object.metadata.name}`;
  const report: Report = (field, value, message) => problems.push({ object: name, field, value, message });
  if (isKind<GateKeeper>(object, 'GateKeeper')) return compileKeeper(object).problems;
  if (isKind<Gate>(object, 'Gate')) ofGate(object, report);
  if (isKind<GateOverride>(object, 'GateOverride')) ofOverride(object, report);
  if (isKind<GateBinding>(object, 'GateBinding')) ofBinding(object, report);
  return problems;
}

function isKind<T extends GatingObject>(object: GatingObject, kind: string): object is T {
  return object.kind === kind;
}

function ofGate({ spec }: Gate, report: Report): void {
  checkDuration('spec.maxOverride', spec.maxOverride, report);
  const { ticketPattern } = spec;
  if (ticketPattern === undefined) return;
  try {
    matchesPattern('', ticketPattern);
  } catch (error) {
    report('spec.ticketPattern', ticketPattern, `it is not a regular expression: ${messageOf(error)}`);
  }
}

/** Returns a duration in ms. Adds a problem if it cannot be parsed. */
function checkDuration(field: string, text: string, report: Report): number | undefined {
  try {
    return parseDuration(text);
  } catch (error) {
    if (!isTyped(error)) throw error;
    report(field, text, error.message);
    return undefined;
  }
}

function ofOverride({ spec }: GateOverride, report: Report): void {
  if (spec.reason.trim() === '')
    report('spec.reason', spec.reason, 'the reason is missing; state one for the audit trail');
  const duration =
    spec.duration === undefined ? undefined : checkDuration('spec.duration', spec.duration, report);
  if (spec.effect === 'Close') return;
  if (spec.duration === undefined && spec.expiresAt === undefined)
    report('spec.duration', '', 'an override that opens a gate must end; set duration or expiresAt');
  if (duration === 0)
    report(
      'spec.duration',
      spec.duration ?? '',
      `${spec.duration ?? ''} is not a positive duration; set a longer one`,
    );
}

function ofBinding({ spec }: GateBinding, report: Report): void {
  if (spec.mode !== 'CommitStatus' && (spec.targets ?? []).length === 0)
    report('spec.targets', '', 'targets must list at least one object, by kind and name or selector');
  if (spec.expr === undefined) return;
  const problem = problemOfExpr(spec.expr, spec.refs);
  if (problem !== undefined) report('spec.expr', spec.expr, problem);
}
