import { RE2JS } from 're2js';
import { parseGoDuration } from '../../go-duration.js';
import type { Checked } from './checker.js';
import { checkFormat } from './format-literals.js';
import type { ExpressionProblem } from './problems.js';
import { partsOf } from './syntax.js';
import type { Expr } from './syntax.js';
import { formatType, sameType } from './type.js';
import type { CelType } from './type.js';

/**
 * Returns the errors in the literals of a checked expression: durations, times, regular expressions, lists and maps of
 * mixed types, formats.
 */
export function checkLiterals(checked: Checked): ExpressionProblem[] {
  return visit(checked.expr, checked, false);
}

function visit(expr: Expr, checked: Checked, inFormat: boolean): ExpressionProblem[] {
  const resolved = expr.kind === 'call' ? checked.callOf(expr)?.name : undefined;
  const isFormat = inFormat || resolved === 'format';
  const below = partsOf(expr).flatMap((part) => visit(part, checked, isFormat));
  if (expr.kind === 'call') {
    const own = [...checkArgument(resolved, expr.args[0]), ...checkFormat(expr, checked)];
    return [...own, ...below];
  }
  if (inFormat) return below;
  if (expr.kind === 'list') return [...checkMixed(expr.items, checked), ...below];
  if (expr.kind === 'map') {
    const keys = expr.entries.map(([key]) => key);
    const values = expr.entries.map(([, value]) => value);
    return [...checkMixed(keys, checked), ...checkMixed(values, checked), ...below];
  }
  return below;
}

function checkArgument(name: string | undefined, argument: Expr | undefined): ExpressionProblem[] {
  if (argument?.kind !== 'literal') return [];
  const { value, at } = argument;
  const isValid =
    (name !== 'duration' || isDuration(value)) &&
    (name !== 'timestamp' || isTimestamp(value)) &&
    (name !== 'matches' || typeof value !== 'string' || regexProblem(value) === undefined);
  return isValid ? [] : [{ message: `invalid ${name ?? ''} argument`, at }];
}

function isDuration(value: unknown): boolean {
  return value !== null && (typeof value !== 'string' || parseGoDuration(value) !== undefined);
}

const rfc3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:[.,]\d+)?(?:Z|[+-]\d{2}:\d{2})$/;

/** Reports whether seconds since 1970 are between the years 1 and 9999. */
export function isTimestampRange(seconds: bigint): boolean {
  return seconds >= -62_135_596_800n && seconds <= 253_402_300_799n;
}

/** Reports whether a text is an RFC 3339 time of a day that exists, or a number of seconds in range. */
export function isTimestamp(value: unknown): boolean {
  if (typeof value === 'bigint') return isTimestampRange(value);
  if (typeof value !== 'string') return value !== null;
  const time = Date.parse(value.replace(',', '.'));
  if (!rfc3339.test(value) || Number.isNaN(time)) return false;
  const day = new Date(`${value.slice(0, 10)}T00:00:00Z`);
  return value.slice(0, 4) !== '0000' && day.toISOString().slice(0, 10) === value.slice(0, 10);
}

/** Returns the problems with a regular expression of RE2, in the words of Go. */
export function regexProblem(pattern: string): string | undefined {
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Returns the first element whose type differs from the type of the first element. */
function checkMixed(items: readonly Expr[], checked: Checked): ExpressionProblem[] {
  const [first] = items;
  if (first === undefined) return [];
  const expected: CelType = checked.typeOf(first);
  const other = items.find((item) => !sameType(checked.typeOf(item), expected));
  if (other === undefined) return [];
  const message = `expected type '${formatType(expected)}' but found '${formatType(checked.typeOf(other))}'`;
  return [{ message, at: other.at }];
}
