import { messageOf } from '@interlock/api';
import { truncate } from '@interlock/base';
import { quoted } from '../problem.js';
import { templateError, type Position } from './error.js';
import { callFunction, isTrue, typeName } from './functions.js';
import type { Expression, Node } from './parse.js';
import { isList, printValue, type Value } from './print.js';

/** A part of the output of a template: its own text, or an untrusted value. */
export interface Part {
  text: string;
  isValue: boolean;
}

interface Limits {
  /** Maximum number of evaluated nodes and expressions. */
  maxSteps: number;
  /** Maximum number of characters of one value; longer values are cut. */
  maxValue: number;
  /** Returns whether another part fits. */
  accepts(part: Part): boolean;
  /**
   * Whether both branches of conditions are evaluated, to find wrong names. Errors of functions depend on the data, and are
   * ignored then.
   */
  everyBranch?: boolean;
}

/** The value of an expression is unknown, because a function refused the data. */
class UnknownValue extends Error {}

/**
 * Returns the output of a template for data, up to the first part that `limits.accepts` refuses.
 * @throws TypedError `Invalid` (`TemplateInvalid`) with the place of the error, such as a missing key.
 */
export function evaluate(nodes: readonly Node[], data: Value, limits: Limits): Part[] {
  const evaluation = new Evaluation(data, limits);
  evaluation.list(nodes, data);
  return evaluation.parts;
}

class Evaluation {
  readonly parts: Part[] = [];
  #steps = 0;

  readonly #root: Value;
  readonly #limits: Limits;

  constructor(root: Value, limits: Limits) {
    this.#root = root;
    this.#limits = limits;
  }

  /** Returns whether everything fitted. */
  list(nodes: readonly Node[], dot: Value): boolean {
    return nodes.every((node) => this.#node(node, dot));
  }

  #node(node: Node, dot: Value): boolean {
    try {
      return this.#known(node, dot);
    } catch (error) {
      if (error instanceof UnknownValue) return true;
      throw error;
    }
  }

  #known(node: Node, dot: Value): boolean {
    if (node.type === 'text') return this.#add({ text: node.text, isValue: false });
    const value = this.#value(node.value, dot);
    switch (node.type) {
      case 'output':
        return this.#output(node.value, value, node.at);
      case 'if':
        if (this.#limits.everyBranch === true)
          return this.list(node.body, dot) && this.list(node.otherwise, dot);
        return this.list(isTrue(value) ? node.body : node.otherwise, dot);
      case 'with':
        if (!isTrue(value)) return this.list(node.otherwise, dot);
        return this.list(node.body, value) && this.#rest(node.otherwise, dot);
      case 'range':
        return this.#range(node, value, dot);
    }
  }

  #range(node: Node & { type: 'if' | 'with' | 'range' }, value: Value, dot: Value): boolean {
    if (value !== null && typeof value !== 'object')
      throw templateError(node.at, `range does not support ${typeName(value)}; it needs a list or a map`);
    const items = isList(value)
      ? value
      : Object.entries(value ?? {})
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([, member]) => member);
    if (items.length === 0) return this.list(node.otherwise, dot);
    const hasRoom = items.every((item) => {
      this.#step(node.at);
      return this.list(node.body, item);
    });
    return hasRoom && this.#rest(node.otherwise, dot);
  }

  /** Evaluates the branch that is not taken. */
  #rest(nodes: readonly Node[], dot: Value): boolean {
    return this.#limits.everyBranch !== true || this.list(nodes, dot);
  }

  #output(expression: Expression, value: Value, at: Position): boolean {
    if (value === null) throw templateError(at, 'the expression has no value');
    const text = printValue(value);
    if (expression.type === 'literal') return this.#add({ text, isValue: false });
    /* The ellipsis follows after the maximum number of characters. */
    return this.#add({ text: truncate(text, this.#limits.maxValue + 1), isValue: true });
  }

  #add(part: Part): boolean {
    if (!this.#limits.accepts(part)) return false;
    this.parts.push(part);
    return true;
  }

  #step(at: Position): void {
    this.#steps += 1;
    if (this.#steps > this.#limits.maxSteps)
      throw templateError(at, `it takes more than ${this.#limits.maxSteps} steps`);
  }

  #value(expression: Expression, dot: Value): Value {
    const { at } = expression;
    this.#step(at);
    switch (expression.type) {
      case 'literal':
        return expression.value;
      case 'path': {
        const { from, names } = expression;
        const start = from === 'dot' ? dot : from === 'root' ? this.#root : this.#value(from, dot);
        return names.reduce((value, name) => fieldOf(value, name, at), start);
      }
      case 'call':
        return this.#call(expression, dot);
    }
  }

  #call({ name, args, at }: Expression & { type: 'call' }, dot: Value): Value {
    if (name === 'and' || name === 'or') {
      const [first, ...others] = args;
      if (first === undefined) throw templateError(at, `${name}: it needs 1 argument or more, not 0`);
      let value = this.#value(first, dot);
      for (const other of others) {
        if (this.#limits.everyBranch !== true && isTrue(value) === (name === 'or')) break;
        value = this.#value(other, dot);
      }
      return value;
    }
    const values = args.map((arg) => this.#value(arg, dot));
    try {
      return callFunction(name, values);
    } catch (error) {
      if (this.#limits.everyBranch === true) throw new UnknownValue();
      throw templateError(at, `${name}: ${messageOf(error)}`);
    }
  }
}

function fieldOf(value: Value, name: string, at: Position): Value {
  if (typeof value !== 'object' || value === null || isList(value))
    throw templateError(at, `there is no ${quoted(name)} in ${typeName(value)}`);
  const field = Object.hasOwn(value, name) ? value[name] : undefined;
  if (field !== undefined) return field;
  const known = Object.keys(value).slice(0, 20).map(quoted).join(', ');
  throw templateError(
    at,
    `there is no ${quoted(name)}; there ${known === '' ? 'is nothing' : `are ${known}`}`,
  );
}
