import type { ASTNode } from '@marcbachmann/cel-js';
import type { CelTypes } from './types.js';
import { MAX_REQUEST_BYTES, maxElements } from './sizes.js';
import type { Schema } from '../types.js';

/** What is known of a subexpression: its cost, the largest size of its value, and the schema of its value. */
interface Estimate {
  cost: number;
  size: number;
  schema?: Schema;
}

type Scope = ReadonlyMap<string, Omit<Estimate, 'cost'>>;

const UNKNOWN_SIZE = 2 ** 64;
const PER_CHARACTER = 0.1;
const PER_PATTERN_CHARACTER = 0.25;
const LIST_COST = 10;
const MAP_COST = 30;

/**
 * The most that evaluating an expression may cost, in the units of the API server's limits: one per step, a tenth per character that a
 * function reads, and for a macro the cost of its body times the largest length of its range. It follows cel-go's estimator for the
 * constructs that decide between allowed and refused rules (comprehensions, comparisons and searches in unbounded values), without being
 * exact to the unit.
 */
export function estimateCost(ast: ASTNode, self: Schema, types: CelTypes): number {
  const variable = { size: maxElements(self), schema: self };
  return new CostEstimator(types).of(
    ast,
    new Map([
      ['self', variable],
      ['oldSelf', variable],
    ]),
  ).cost;
}

class CostEstimator {
  constructor(readonly types: CelTypes) {}

  of(node: ASTNode, scope: Scope): Estimate {
    switch (node.op) {
      case 'value':
        return { cost: 0, size: literalSize(node.args) };
      case 'id':
        return { size: 1, ...scope.get(node.args), cost: 1 };
      case '.':
      case '.?':
        return this.#select(this.of(node.args[0], scope), node.args[1]);
      case '[]':
      case '[?]':
        return this.#index(node.args, scope);
      case 'list': {
        const items = node.args.map((item) => this.of(item, scope));
        return { cost: LIST_COST + sum(items), size: items.length, ...elementSchema(items) };
      }
      case 'map': {
        const entries = node.args.flat().map((part) => this.of(part, scope));
        return { cost: MAP_COST + sum(entries), size: node.args.length };
      }
      case '?:': {
        const [condition, then, otherwise] = node.args.map((part) => this.of(part, scope));
        const branches = [then, otherwise].filter((branch) => branch !== undefined);
        const size = Math.max(...branches.map((branch) => branch.size));
        return {
          ...branches[0],
          size,
          cost: (condition?.cost ?? 0) + Math.max(...branches.map(({ cost }) => cost)),
        };
      }
      case 'call':
        return this.#call(node.args[0], undefined, node.args[1], scope);
      case 'rcall':
        return this.#call(node.args[0], node.args[1], node.args[2], scope);
      case '!_':
      case '-_':
        return { cost: this.of(node.args, scope).cost + 1, size: 1 };
      default:
        return this.#binary(node.op, node.args, scope);
    }
  }

  #select(operand: Estimate, field: string): Estimate {
    const { schema, cost } = operand;
    const property =
      schema === undefined ? undefined : this.types.structOf(schema)?.fields.get(field)?.schema;
    const below = property ?? mapValues(schema);
    return below === undefined
      ? { cost: cost + 1, size: UNKNOWN_SIZE }
      : { cost: cost + 1, size: maxElements(below), schema: below };
  }

  #index([operand, index]: readonly [ASTNode, ASTNode], scope: Scope): Estimate {
    const list = this.of(operand, scope);
    const cost = list.cost + this.of(index, scope).cost + 1;
    if (index.op === 'value' && typeof index.args === 'string' && list.schema?.properties !== undefined) {
      return { ...this.#select(list, index.args), cost };
    }
    const below = list.schema?.items ?? mapValues(list.schema);
    return below === undefined
      ? { cost, size: UNKNOWN_SIZE }
      : { cost, size: maxElements(below), schema: below };
  }

  #binary(op: string, args: readonly [ASTNode, ASTNode], scope: Scope): Estimate {
    const left = this.of(args[0], scope);
    const right = this.of(args[1], scope);
    const cost = left.cost + right.cost;
    switch (op) {
      case '&&':
      case '||':
        return { cost, size: 1 };
      case 'in':
        return { cost: cost + (mapValues(right.schema) === undefined ? right.size : 1), size: 1 };
      case '==':
      case '!=':
      case '<':
      case '<=':
      case '>':
      case '>=':
        return {
          cost: cost + Math.max(1, Math.ceil(Math.min(left.size, right.size) * PER_CHARACTER)),
          size: 1,
        };
      case '+': {
        const size = left.size + right.size;
        const isText = left.schema?.type === 'string' || typeof args[0].args === 'string';
        return { ...left, size, cost: cost + (isText ? Math.ceil(size * PER_CHARACTER) : 1) };
      }
      default:
        return { cost: cost + 1, size: 1 };
    }
  }

  #call(name: string, target: ASTNode | undefined, args: readonly ASTNode[], scope: Scope): Estimate {
    const [first, second] = args;
    if (target !== undefined && MACROS.has(name) && first?.op === 'id' && second !== undefined) {
      return this.#comprehension(name, target, first.args, args.slice(1), scope);
    }
    if (name === 'bind' && first?.op === 'id' && second !== undefined) {
      const value = this.of(second, scope);
      const body =
        args[2] === undefined
          ? { cost: 0, size: 1 }
          : this.of(args[2], new Map(scope).set(first.args, value));
      return { ...body, cost: body.cost + value.cost + LIST_COST };
    }
    const receiver = target === undefined ? undefined : this.of(target, scope);
    if (receiver !== undefined && OPTIONAL_MACROS.has(name) && first?.op === 'id' && second !== undefined) {
      const body = this.of(second, new Map(scope).set(first.args, receiver));
      return { ...body, cost: receiver.cost + body.cost };
    }
    const operands = [
      ...(receiver === undefined ? [] : [receiver]),
      ...args.map((arg) => this.of(arg, scope)),
    ];
    return callEstimate(name, operands);
  }

  #comprehension(
    name: string,
    target: ASTNode,
    variable: string,
    bodies: readonly ASTNode[],
    scope: Scope,
  ): Estimate {
    const range = this.of(target, scope);
    const inner = new Map(scope).set(variable, elementOf(range));
    const steps = bodies.map((body) => this.of(body, inner));
    const step = sum(steps) + (name === 'map' || name === 'filter' ? LIST_COST + 2 : 3);
    const cost = range.cost + 1 + range.size * step;
    if (name === 'filter') return { ...range, cost };
    const mapped = steps.at(-1)?.schema;
    if (name !== 'map') return { cost, size: 1 };
    return {
      cost,
      size: range.size,
      ...(mapped === undefined ? {} : { schema: { type: 'array', items: mapped } }),
    };
  }
}

const MACROS = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);
const OPTIONAL_MACROS = new Set(['optMap', 'optFlatMap']);
const SEARCHES = new Set(['matches', 're2Find', 'find', 'findAll']);
const CONSTANT = new Set([
  'size',
  'type',
  'dyn',
  'has',
  'hAs',
  'int',
  'double',
  'bool',
  'hasValue',
  'orValue',
  'or',
]);
const SCALAR_RESULTS = new Set([
  'startsWith',
  'endsWith',
  'contains',
  'isSorted',
  'sum',
  'indexOf',
  'lastIndexOf',
]);

function callEstimate(name: string, operands: readonly Estimate[]): Estimate {
  const cost = sum(operands);
  const [subject, argument] = operands;
  const size = subject?.size ?? 1;
  if (SEARCHES.has(name)) {
    const text = Math.ceil((size + 1) * PER_CHARACTER);
    return { cost: cost + text * Math.ceil((argument?.size ?? 1) * PER_PATTERN_CHARACTER), size };
  }
  if (name === 'contains') {
    const steps = Math.ceil(size * PER_CHARACTER) * Math.ceil((argument?.size ?? 1) * PER_CHARACTER);
    return { cost: cost + steps, size: 1 };
  }
  if (name === 'startsWith' || name === 'endsWith') {
    return { cost: cost + Math.ceil((argument?.size ?? 1) * PER_CHARACTER), size: 1 };
  }
  if (CONSTANT.has(name)) {
    const kept = name.startsWith('or') ? { size: Math.max(size, argument?.size ?? 0) } : { size: 1 };
    return { ...(name === 'dyn' || name.startsWith('or') ? subject : {}), ...kept, cost: cost + 1 };
  }
  const reads = subject?.schema?.type === 'array' ? size : Math.ceil(size * PER_CHARACTER);
  return { cost: cost + Math.max(1, reads), size: SCALAR_RESULTS.has(name) ? 1 : size };
}

function sum(estimates: readonly Estimate[]): number {
  return estimates.reduce((total, { cost }) => total + cost, 0);
}

function mapValues(schema: Schema | undefined): Schema | undefined {
  return typeof schema?.additionalProperties === 'object' ? schema.additionalProperties : undefined;
}

function elementOf({ schema }: Estimate): Omit<Estimate, 'cost'> {
  if (schema?.items !== undefined) return { size: maxElements(schema.items), schema: schema.items };
  return { size: mapValues(schema) === undefined ? UNKNOWN_SIZE : MAX_REQUEST_BYTES - 2 };
}

function elementSchema(items: readonly Estimate[]): { schema?: Schema } {
  const size = Math.max(0, ...items.map((item) => item.size));
  return { schema: { type: 'array', items: { type: 'string', maxLength: Math.ceil(size / 4) } } };
}

function literalSize(value: unknown): number {
  return typeof value === 'string' || value instanceof Uint8Array ? value.length : 1;
}
