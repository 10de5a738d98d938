import type { ASTNode } from '@marcbachmann/cel-js';
import { Optional } from '@marcbachmann/cel-js';
import { dynType, listOf, stringType } from '../check/type.js';
import type { CelType } from '../check/type.js';
import { has } from '../library-macros.js';
import { re2Matches } from '../library-strings.js';
import { isConstant, isSetMembership } from './constant-nodes.js';
import { kubernetesCallCost, perCharacter, type Operand } from './function-costs.js';
import { listCallCost } from './list-costs.js';
import { loopOf } from './loop-costs.js';
import { celCallCost } from './overload-costs.js';
import { exactly } from './range.js';

type ValueOf = (node: ASTNode) => unknown;

/** The namespaces with which names of functions begin; they are not variables. */
const namespaces = ['cel', 'format', 'ip', 'lists', 'optional', 'sets', 'strings'];

/** The overloads of functions whose cost depends on their arguments. */
const overloads: Readonly<Record<string, string>> = {
  bytes: 'string_to_bytes',
  contains: 'contains_string',
  distinct: 'list_distinct',
  endsWith: 'ends_with_string',
  flatten: 'list_flatten',
  format: 'string_format',
  matches: 'matches_string',
  [re2Matches]: 'matches_string',
  reverse: 'list_reverse',
  'sets.contains': 'list_sets_contains_list',
  'sets.equivalent': 'list_sets_equivalent_list',
  'sets.intersects': 'list_sets_intersects_list',
  sort: 'list_int_sort',
  startsWith: 'starts_with_string',
  'strings.quote': 'strings_quote',
};

/** Returns the cost of the evaluation of one node, without its parts, which have been evaluated before. */
export function actualCost(node: ASTNode, valueOf: ValueOf): number {
  if (isConstant(node) || isSetMembership(node)) return 0;
  switch (node.op) {
    case '&&':
    case '||':
    case '?:':
      return 0;
    case 'id':
      return namespaces.includes(node.args) ? 0 : 1;
    case 'list':
      return 10;
    case 'map':
      return 30;
    case 'call':
      return node.args[0] === has ? 0 : callCost(node.args[0], undefined, node.args[1], valueOf);
    case 'rcall': {
      const loop = loopOf(node);
      if (loop !== undefined) return loop.end;
      const [name, receiver, args] = node.args;
      if (receiver.op === 'id' && namespaces.includes(receiver.args)) {
        return callCost(`${receiver.args}.${name}`, undefined, args, valueOf);
      }
      return callCost(name, receiver, args, valueOf);
    }
    case '+':
    case '==':
    case '!=':
    case '<':
    case '<=':
    case '>':
    case '>=':
    case 'in':
      return operatorCost(node.op, node.args.map(valueOf));
    default:
      return 1;
  }
}

function operatorCost(operator: string, [left, right]: readonly unknown[]): number {
  const isText = typeof left === 'string' || left instanceof Uint8Array;
  if (operator === 'in') return Array.isArray(right) ? right.length : 1;
  if (operator === '+') return isText ? Math.ceil((sizeOf(left) + sizeOf(right)) * perCharacter) : 1;
  const isEquality = operator === '==' || operator === '!=';
  return isEquality || isText ? Math.ceil(Math.min(sizeOf(left), sizeOf(right)) * perCharacter) : 1;
}

function callCost(
  name: string,
  receiver: ASTNode | undefined,
  nodes: readonly ASTNode[],
  valueOf: ValueOf,
): number {
  const operand = (node: ASTNode): Operand => operandOf(valueOf(node), node);
  const target = receiver === undefined ? undefined : operand(receiver);
  const call = { name, overload: overloadOf(name, nodes.map(valueOf)), target, args: nodes.map(operand) };
  /* Functions of cel-go that are members count their receiver as the first argument. */
  const standard = { ...call, args: target === undefined || isSearch(call.overload) ? call.args : [target] };
  return (listCallCost(call) ?? kubernetesCallCost(call) ?? celCallCost(standard)).cost.max;
}

function overloadOf(name: string, [first]: readonly unknown[]): string {
  const isText = typeof first === 'string';
  if (name === 'containsIP') return isText ? 'cidr_contains_ip_string' : 'cidr_contains_ip_ip';
  if (name === 'containsCIDR') return isText ? 'cidr_contains_cidr_string' : 'cidr_contains_cidr';
  return overloads[name] ?? name;
}

function isSearch(overload: string): boolean {
  return overload === 'matches_string' || overload === 'contains_string';
}

function operandOf(value: unknown, { start }: ASTNode): Operand {
  const [element] = Array.isArray(value) ? (value as unknown[]) : [];
  return {
    type: typeOf(value),
    size: exactly(sizeOf(value)),
    hasSize: true,
    expr: { kind: 'literal', value, type: dynType, at: start },
    elementSize: () => exactly(element === undefined ? 0 : sizeOf(element)),
  };
}

/** Returns the part of the type of a value that affects costs: whether it is a list, and whether it contains texts. */
function typeOf(value: unknown): CelType {
  if (!Array.isArray(value)) return dynType;
  return listOf(typeof value[0] === 'string' ? stringType : dynType);
}

/** Returns the size of a value: characters, bytes, elements or entries; 1 for anything else. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return [...value].length;
  if (Array.isArray(value) || value instanceof Uint8Array) return value.length;
  if (value instanceof Map) return value.size;
  if (value instanceof Optional) return value.hasValue() ? sizeOf(value.value()) : 1;
  return 1;
}
