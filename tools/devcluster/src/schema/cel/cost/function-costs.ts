import type { CelType } from '../check/type.js';
import { sameType } from '../check/type.js';
import type { Expr } from '../check/syntax.js';
import { add, exactly, multiply, scale, unlimited, zero } from './range.js';
import type { Range } from './range.js';

/** The cost of reading one character of a text. */
export const perCharacter = 0.1;
/** The factor by which each character of a regular expression multiplies the cost of a search. */
const perPatternCharacter = 0.25;

const maxFormatName = 64;
const formatPatternLength = 128;

/** The value of an operand, as far as the cost of a function depends on it. */
export interface Operand {
  readonly type: CelType;
  readonly size: Range;
  /** Whether anything is known of the size. */
  readonly hasSize: boolean;
  readonly expr: Expr;
  /** Returns the size of the elements of a list. */
  elementSize(): Range;
}

/** What calling a function costs, without its arguments, and the size of its value when it is known. */
export interface CallCost {
  readonly cost: Range;
  readonly size?: Range | undefined;
}

export interface Call {
  readonly name: string;
  readonly overload: string;
  readonly target: Operand | undefined;
  readonly args: readonly Operand[];
}

const constant = { cost: exactly(1) };

const nominal = new Set(
  `serviceAccount path group resource subresource namespace name allowed reason error errored
   masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast format.named
   sign asInteger isInteger asApproximateFloat isGreaterThan isLessThan compareTo add sub major minor patch
   getScheme getHostname getHost getPort getEscapedPath getQuery`
    .trim()
    .split(/\s+/),
);

/**
 * Returns the cost of the functions that the API server estimates itself (k8s.io/apiserver/pkg/cel/library/cost.go); undefined for those it
 * leaves to cel-go.
 */
export function kubernetesCallCost(call: Call): CallCost | undefined {
  const { name, overload, target, args } = call;
  const [first] = args;
  if (nominal.has(name)) return constant;
  if (target !== undefined) return memberCost(name, overload, target, args);
  if (name === '_==_') return equalityCost(args);
  if (first === undefined) return undefined;
  switch (name) {
    case 'url':
      return { cost: scale(first.size, perCharacter), size: first.size };
    case 'cidr':
    case 'ip':
    case 'isIP':
    case 'isCIDR':
    case 'quantity':
    case 'isQuantity':
    case 'semver':
    case 'isSemver':
      return { cost: scale(first.size, perCharacter) };
    case 'ip.isCanonical':
      return { cost: scale(first.size, 2 * perCharacter) };
    default:
      return undefined;
  }
}

function memberCost(
  name: string,
  overload: string,
  target: Operand,
  args: readonly Operand[],
): CallCost | undefined {
  const [first] = args;
  switch (name) {
    case 'check':
      return { cost: exactly(350_000) };
    case 'fieldSelector':
    case 'labelSelector':
      return first === undefined ? undefined : { cost: selectorCost(first.size) };
    case 'isSorted':
    case 'sum':
    case 'max':
    case 'min':
    case 'indexOf':
    case 'lastIndexOf':
      return { cost: traversal(target) };
    case 'lowerAscii':
    case 'upperAscii':
    case 'substring':
    case 'trim':
      return { cost: scale(target.size, perCharacter), size: target.size };
    case 'replace':
      return replaceCost(target.size, args);
    case 'split':
      return splitCost(target.size, args);
    case 'join':
      return joinCost(target, first);
    case 'find':
    case 'findAll':
      return first === undefined
        ? undefined
        : { cost: searchCost(target.size, first.size), size: upTo(target.size) };
    case 'ip':
      return overload === 'cidr_ip' ? constant : undefined;
    case 'containsIP':
    case 'containsCIDR':
      return first === undefined ? undefined : { cost: containsCost(overload, first.size) };
    case 'validate':
      return first === undefined
        ? undefined
        : { cost: scale(scale(first.size, perCharacter), formatPatternLength * perPatternCharacter) };
    default:
      return undefined;
  }
}

function upTo({ max }: Range): Range {
  return { min: 0, max };
}

/** Returns the cost of searching a text for a pattern. */
export function searchCost(text: Range, pattern: Range): Range {
  return multiply(scale(add(text, exactly(1)), perCharacter), scale(pattern, perPatternCharacter));
}

/**
 * Returns the cost of reading a string, or of reading a list: one unit for each element, and the cost of reading the
 * texts.
 */
function traversal(target: Operand): Range {
  const [element] = target.type.params;
  if (element === undefined) return scale(target.size, perCharacter);
  const isText = element.kind === 'string' || element.kind === 'bytes';
  const perElement = isText ? add(exactly(1), scale(target.elementSize(), perCharacter)) : exactly(1);
  return multiply(target.size, perElement);
}

/** Returns the cost of a selector, which has at most one requirement for every two characters. */
function selectorCost(selector: Range): Range {
  const requirements = scale(scale(selector, 0.5), 10 + 40);
  return add(exactly(10), scale(selector, perCharacter), requirements);
}

function replaceCost(text: Range, [from, by]: readonly Operand[]): CallCost | undefined {
  if (from === undefined || by === undefined) return undefined;
  const longest = longestReplacement(text, from.size, by.size);
  const shortest = shortestReplacement(text, from.size, by.size);
  const count = { min: shortest.count, max: longest.count };
  const kept = { min: shortest.kept, max: longest.kept };
  return { cost: scale(text, 2 * perCharacter), size: add(multiply(count, by.size), kept) };
}

function longestReplacement(text: Range, from: Range, by: Range): { count: number; kept: number } {
  if (from.min === 0) return { count: Math.min(text.max + 1, unlimited), kept: text.max };
  if (by.max <= from.min) return { count: 0, kept: text.max };
  return { count: Math.ceil(text.max / from.min), kept: 0 };
}

function shortestReplacement(text: Range, from: Range, by: Range): { count: number; kept: number } {
  if (from.max === 0) return { count: text.min + 1, kept: text.min };
  if (from.max <= by.min) return { count: 0, kept: text.min };
  return { count: Math.ceil(text.min / from.max), kept: 0 };
}

function splitCost(text: Range, [, count]: readonly Operand[]): CallCost {
  const parts = count?.expr.kind === 'literal' ? count.expr.value : undefined;
  const limited = typeof parts === 'bigint' ? Number(BigInt.asUintN(64, parts)) : text.max;
  return { cost: scale(text, 2 * perCharacter), size: { min: 0, max: limited } };
}

function joinCost(target: Operand, separator: Operand | undefined): CallCost {
  const items = multiply(target.size, target.elementSize());
  const between = { min: Math.max(0, target.size.min - 1), max: Math.max(0, target.size.max - 1) };
  const size = separator === undefined ? items : add(items, multiply(separator.size, between));
  return { cost: scale(size, perCharacter), size };
}

/** Returns the cost of a comparison of addresses. An address has 4 or 16 bytes; a string is parsed first. */
function containsCost(overload: string, other: Range): Range {
  const address = { min: 4, max: 16 };
  const compared = scale(add(address, address), perCharacter);
  const parsed = overload.endsWith('_string') ? scale(other, perCharacter) : zero;
  if (overload.startsWith('cidr_contains_ip')) return add(compared, parsed);
  return add(compared, scale(address, perCharacter), exactly(1), parsed);
}

const comparedInOneStep = new Set(['net.IP', 'net.CIDR', 'kubernetes.Quantity', 'kubernetes.Semver']);

function equalityCost([left, right]: readonly Operand[]): CallCost | undefined {
  if (left === undefined || right === undefined || !sameType(left.type, right.type)) return undefined;
  const { name } = left.type;
  if (comparedInOneStep.has(name) || name.startsWith('kubernetes.authorization.')) return constant;
  if (name === 'kubernetes.NamedFormat') return { cost: scale({ min: 1, max: maxFormatName }, perCharacter) };
  if (name !== 'kubernetes.URL') return undefined;
  return { cost: scale({ min: 1, max: right.hasSize ? right.size.max : 1 }, perCharacter) };
}
