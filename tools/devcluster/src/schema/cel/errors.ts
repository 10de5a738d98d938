import type { ASTNode, ErrorLocation } from '@marcbachmann/cel-js';
import { EvaluationError, ParseError, TypeError } from '@marcbachmann/cel-js';
import { HAS } from './library-macros.js';
import { RE2_MATCHES } from './library-strings.js';

const OPERATOR_NAMES: Readonly<Record<string, string>> = {
  '!': '!_',
  in: '@in',
  '[]': '_[_]',
  '?:': '_?_:_',
};

/**
 * The text that cel-go gives for an error at compile time, with the line and a mark below the place. Only the first error of an expression
 * is found, and syntax errors are worded differently.
 *
 * @param functions the names of the functions that exist.
 */
export function describeCompileError(error: unknown, source: string, functions: ReadonlySet<string>): string {
  const [message, position] = explain(error, functions);
  const before = source.slice(0, position).split('\n');
  const line = before.length;
  const column = [...(before.at(-1) ?? '')].length;
  const text = source.split('\n')[line - 1] ?? '';
  return `ERROR: <input>:${line}:${column + 1}: ${message}\n | ${text}\n | ${'.'.repeat(column)}^`;
}

function explain(
  error: unknown,
  functions: ReadonlySet<string>,
): readonly [message: string, position: number] {
  if (error instanceof ParseError) return [`Syntax error: ${lowerFirst(error.summary)}`, startOf(error.node)];
  if (!(error instanceof TypeError)) return [String(error), 0];
  const { code, summary, node } = error;
  const position = startOf(node);
  switch (code) {
    case 'no_such_key':
      return [`undefined field '${afterColon(summary)}'`, Math.max(0, position - 1)];
    case 'unknown_variable':
      return [`undeclared reference to '${afterColon(summary)}' (in container '')`, position];
    case 'no_such_overload':
      return [overloadMessage(afterColon(summary)), operatorPosition(node)];
    case 'no_matching_overload':
      return [callMessage(quoted(summary), functions), callPosition(node)];
    case 'cannot_index_type':
      return [`type '${goNames(quoted(summary))}' does not support field selection`, position];
    case 'invalid_logical_operand':
    case 'invalid_condition_type':
      return [`expected type 'bool' but found '${goNames(quoted(summary))}'`, position];
    default:
      return [goNames(lowerFirst(summary)), position];
  }
}

function startOf(node: ErrorLocation | undefined): number {
  return node?.pos ?? 0;
}

function afterColon(text: string): string {
  return text.slice(text.indexOf(': ') + 2);
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function quoted(text: string): string {
  return /'([^']*)'/.exec(text)?.[1] ?? text;
}

/** `string + int` → `found no matching overload for '_+_' applied to '(string, int)'`. */
function overloadMessage(signature: string): string {
  const unary = /^([!-])(\S.*)$/.exec(signature);
  const binary = /^(.+?) (==|!=|<=|>=|[<>+*/%-]|in) (.+)$/.exec(signature);
  const operator = unary?.[1] ?? binary?.[2] ?? '';
  const types = unary === null ? [binary?.[1] ?? '', binary?.[3] ?? ''] : [unary[2] ?? ''];
  const name = OPERATOR_NAMES[operator] ?? (unary === null ? `_${operator}_` : `${operator}_`);
  return `found no matching overload for '${name}' applied to '(${types.map(goNames).join(', ')})'`;
}

/** `string.startsWith(int)` → `found no matching overload for 'startsWith' applied to 'string.(int)'`. */
function callMessage(call: string, functions: ReadonlySet<string>): string {
  const [, receiver = '', name = '', args = ''] = /^(?:(.+)\.)?(\w+)\((.*)\)$/.exec(call) ?? [];
  if (!functions.has(name)) return `undeclared reference to '${name}' (in container '')`;
  const target = receiver === '' ? '' : `${goNames(receiver)}.`;
  return `found no matching overload for '${goNames(name)}' applied to '${target}(${goNames(args)})'`;
}

/** Type names as cel-go prints them; Kubernetes names objects by their place in the schema, here all are `object`. */
function goNames(text: string): string {
  return text
    .replace(/object\.o\d+/g, 'object')
    .replaceAll('google.protobuf.Timestamp', 'timestamp')
    .replaceAll('google.protobuf.Duration', 'duration')
    .replaceAll('optional<', 'optional_type<')
    .replaceAll('<', '(')
    .replaceAll('>', ')')
    .replaceAll(RE2_MATCHES, 'matches')
    .replaceAll(HAS, 'has');
}

function operatorPosition(node: ASTNode | undefined): number {
  if (node === undefined) return 0;
  if (node.op === '!_' || node.op === '-_' || !Array.isArray(node.args)) return node.pos;
  const [left, right] = node.args as unknown[];
  if (!isNode(left) || !isNode(right)) return node.pos;
  const between = node.input.slice(left.end, right.start);
  return left.end + Math.max(0, between.search(/[^\s)]/));
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === 'object' && value !== null && 'op' in value && 'end' in value;
}

function callPosition(node: ASTNode | undefined): number {
  if (node?.op !== 'call' && node?.op !== 'rcall') return startOf(node);
  const from = node.op === 'rcall' ? node.args[1].end : node.start;
  return Math.max(from, node.input.indexOf('(', from));
}

/** The text that cel-go gives for an error at run time. */
export function describeRuntimeError(error: unknown): string {
  if (!(error instanceof EvaluationError)) return error instanceof Error ? error.message : messageOf(error);
  switch (error.code) {
    case 'no_such_key':
      return `no such key: ${afterColon(error.summary)}`;
    case 'index_out_of_bounds':
      return `index out of bounds: ${/index (-?\d+)/.exec(error.summary)?.[1] ?? ''}`;
    case 'numeric_overflow':
      return 'integer overflow';
    case 'modulo_by_zero':
      return 'modulus by zero';
    case 'no_such_overload':
    case 'no_matching_overload':
    case 'field_type_mismatch':
    case 'list_item_type_mismatch':
      return 'no such overload';
    default:
      return error.summary;
  }
}

function messageOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error
    ? String(error.message)
    : String(error);
}
