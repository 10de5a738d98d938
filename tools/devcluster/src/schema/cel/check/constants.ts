import { Duration, UnsignedInt } from '@marcbachmann/cel-js/evaluator';
import { parseGoDuration } from '../../go-duration.js';
import type { Checked } from './checker.js';
import { isTimestamp, isTimestampRange, regexProblem } from './literals.js';
import { partsOf } from './syntax.js';
import type { CallExpr, Expr } from './syntax.js';

/** The index of the regular expression among the receiver and the arguments of a call, by function. */
const patterns: Readonly<Record<string, number>> = { matches: 1, find: 1, findAll: 1 };
const maxInt = 2n ** 63n - 1n;
const maxUint = 2n ** 64n - 1n;

/**
 * Returns the error for which the API server cannot prepare a checked expression: it evaluates conversions of constants and compiles
 * constant regular expressions beforehand.
 */
export function constantProblem(checked: Checked): string | undefined {
  try {
    fold(checked.expr, checked);
    return undefined;
  } catch (error) {
    if (error instanceof ConstantError) return error.message;
    throw error;
  }
}

class ConstantError extends Error {}

/**
 * Returns the value of a constant expression; undefined for anything else, and for values for which no conversion
 * fails.
 */
function fold(expr: Expr, checked: Checked): unknown {
  if (expr.kind === 'literal') return expr.value instanceof UnsignedInt ? expr.value.valueOf() : expr.value;
  const values = new Map(partsOf(expr).map((part) => [part, fold(part, checked)]));
  return expr.kind === 'call' ? foldCall(expr, checked, values) : undefined;
}

function foldCall(expr: CallExpr, checked: Checked, values: ReadonlyMap<Expr, unknown>): unknown {
  const resolved = checked.callOf(expr);
  if (resolved === undefined) return undefined;
  const { name, target } = resolved;
  const operands = target === undefined ? expr.args : [target, ...expr.args];
  const pattern = operands[patterns[name] ?? -1];
  const text = pattern === undefined ? undefined : values.get(pattern);
  const problem = typeof text === 'string' ? regexProblem(text) : undefined;
  if (problem !== undefined) throw new ConstantError(problem);
  const [operand] = operands;
  if (operand === undefined || operands.length > 1) return undefined;
  const value = values.get(operand);
  switch (name) {
    case 'int':
      return toInteger(value, 'int', -maxInt - 1n, maxInt);
    case 'uint':
      return toInteger(value, 'uint', 0n, maxUint);
    case 'double':
      return typeof value === 'string' ? parsed(value, 'double', isDouble, Number) : toNumber(value);
    case 'bool':
      return typeof value === 'string' ? parsed(value, 'bool', isBool, (word) => /^[1tT]/.test(word)) : value;
    case 'string':
      return value instanceof Uint8Array ? new TextDecoder().decode(value) : toText(value);
    case 'bytes':
      return typeof value === 'string' ? new TextEncoder().encode(value) : value;
    case 'duration':
      return toDuration(value);
    case 'timestamp':
      return toTime(value);
    case 'dyn':
      return value;
    default:
      return undefined;
  }
}

function toText(value: unknown): string | undefined {
  if (value instanceof Date) return value.toISOString();
  return value === undefined ? undefined : String(value);
}

function toDuration(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const nanoseconds = parseGoDuration(value);
  if (nanoseconds === undefined) {
    throw new ConstantError("type conversion error from 'string' to 'google.protobuf.Duration'");
  }
  return new Duration(nanoseconds / 1_000_000_000n, Number(nanoseconds % 1_000_000_000n));
}

function toTime(value: unknown): unknown {
  if (typeof value === 'bigint') {
    if (!isTimestampRange(value)) throw new ConstantError('timestamp overflow');
    return new Date(Number(value) * 1000);
  }
  if (typeof value !== 'string') return value;
  if (!isTimestamp(value)) throw new ConstantError(`invalid RFC 3339 timestamp "${value}"`);
  return new Date(value);
}

function toNumber(value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}

function toInteger(value: unknown, type: 'int' | 'uint', min: bigint, max: bigint): unknown {
  if (typeof value === 'string') {
    const isInteger = (text: string): boolean => {
      const pattern = type === 'int' ? /^[+-]?\d+$/ : /^\d+$/;
      return pattern.test(text) && isWithin(BigInt(text.replace('+', '')), min, max);
    };
    return parsed(value, type, isInteger, (text) => BigInt(text.replace('+', '')));
  }
  if (typeof value === 'number') {
    const isNegative = type === 'uint' && value < 0;
    if (Number.isFinite(value) && !isNegative && value > Number(min) - 1 && value < Number(max)) {
      return BigInt(Math.trunc(value));
    }
  } else if (value instanceof Duration) {
    return value.seconds * 1_000_000_000n + BigInt(value.nanos);
  } else if (value instanceof Date) {
    return BigInt(Math.floor(value.getTime() / 1000));
  } else if (typeof value !== 'bigint' || isWithin(value, min, max)) {
    return value;
  }
  throw new ConstantError(type === 'int' ? 'integer overflow' : 'unsigned integer overflow');
}

function isWithin(value: bigint, min: bigint, max: bigint): boolean {
  return value >= min && value <= max;
}

function isDouble(text: string): boolean {
  return /^[+-]?(?:inf|infinity|nan|(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)$/i.test(text);
}

function isBool(text: string): boolean {
  return /^(?:1|t|T|TRUE|true|True|0|f|F|FALSE|false|False)$/.test(text);
}

function parsed(
  text: string,
  type: string,
  isValid: (text: string) => boolean,
  parse: (text: string) => unknown,
): unknown {
  if (!isValid(text)) throw new ConstantError(`type conversion error from 'string' to '${type}'`);
  return parse(text);
}
