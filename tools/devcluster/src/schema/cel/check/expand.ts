import type { ASTNode } from '@marcbachmann/cel-js';
import { UnsignedInt } from '@marcbachmann/cel-js/evaluator';
import { expandMacro, MacroError } from './macros.js';
import { positionOf } from './positions.js';
import type { ExpressionProblem } from './problems.js';
import type { Expr } from './syntax.js';
import { boolType, bytesType, doubleType, intType, nullType, stringType, uintType } from './type.js';
import type { CelType } from './type.js';

/**
 * Returns a parsed expression with its macros expanded and its operators as calls, as cel-go's parser does.
 *
 * @returns also the errors of macros; if there are any, the expression cannot be used.
 */
export function expand(node: ASTNode): { expr: Expr; problems: ExpressionProblem[] } {
  const expander = new Expander();
  return { expr: expander.of(node), problems: expander.problems };
}

class Expander {
  readonly problems: ExpressionProblem[] = [];

  of(node: ASTNode): Expr {
    const at = positionOf(node);
    const call = (name: string, ...args: ASTNode[]): Expr => ({
      kind: 'call',
      at,
      name,
      args: args.map((arg) => this.of(arg)),
    });
    switch (node.op) {
      case 'value':
        return literal(node.args, at);
      case 'id':
        return { kind: 'ident', at, name: node.args };
      case '.':
        return {
          kind: 'select',
          at,
          operand: this.of(node.args[0]),
          field: node.args[1],
          isTest: false,
        };
      case '.?': {
        const field: Expr = { kind: 'literal', at: node.pos, value: node.args[1], type: stringType };
        return { kind: 'call', at, name: '_?._', args: [this.of(node.args[0]), field] };
      }
      case '[]':
        return call('_[_]', ...node.args);
      case '[?]':
        return call('_[?_]', ...node.args);
      case 'list':
        return { kind: 'list', at, items: node.args.map((item) => this.of(item)) };
      case 'map':
        return {
          kind: 'map',
          at,
          entries: node.args.map(([key, value]) => [this.of(key), this.of(value)] as const),
        };
      case '?:':
        return call('_?_:_', ...node.args);
      case '!_':
      case '-_':
        return this.#unary(node.op, node.args, at);
      case 'in':
        return call('@in', ...node.args);
      case 'call':
        return this.#global(node.args[0], node.args[1], at);
      case 'rcall':
        return this.#member(node.args[0], node.args[1], node.args[2], at);
      default:
        return call(`_${node.op}_`, ...node.args);
    }
  }

  /**
   * Returns the expression of a unary operator. Two equal operators cancel each other out, and a minus before a
   * number is part of the number.
   */
  #unary(op: '!_' | '-_', operand: ASTNode, at: number): Expr {
    const isNext = !isParenthesized(operand, at);
    if (isNext && op === operand.op) return this.of(operand.args);
    if (isNext && op === '-_' && operand.op === 'value') {
      const { args } = operand;
      if (typeof args === 'bigint' || typeof args === 'number') return literal(-args, at);
    }
    return { kind: 'call', at, name: op, args: [this.of(operand)] };
  }

  #global(name: string, args: readonly ASTNode[], at: number): Expr {
    const [argument] = args;
    if (name === 'has' && args.length === 1 && argument !== undefined) {
      const selection = this.of(argument);
      if (selection.kind === 'select') return { ...selection, at, isTest: true };
      return this.#problem(new MacroError('invalid argument to has() macro', selection.at));
    }
    return { kind: 'call', at, name, args: args.map((arg) => this.of(arg)) };
  }

  #member(name: string, target: ASTNode, args: readonly ASTNode[], at: number): Expr {
    try {
      const expansion = expandMacro({
        name,
        at,
        argCount: args.length,
        target: () => this.of(target),
        arg: (index) => this.#arg(args, index),
      });
      if (expansion !== undefined) return expansion;
    } catch (error) {
      if (error instanceof MacroError) return this.#problem(error);
      throw error;
    }
    return { kind: 'call', at, name, target: this.of(target), args: args.map((arg) => this.of(arg)) };
  }

  #arg(args: readonly ASTNode[], index: number): Expr {
    const arg = args[index];
    if (arg === undefined) throw new Error(`no argument ${index}`);
    return this.of(arg);
  }

  #problem({ message, at }: MacroError): Expr {
    if (!this.problems.some((problem) => problem.at === at && problem.message === message)) {
      this.problems.push({ message, at });
    }
    return { kind: 'literal', at, value: null, type: nullType };
  }
}

function isParenthesized(operand: ASTNode, minus: number): boolean {
  return operand.input.slice(minus, operand.start).includes('(');
}

function literal(value: unknown, at: number): Expr {
  return { kind: 'literal', at, value, type: typeOfLiteral(value) };
}

function typeOfLiteral(value: unknown): CelType {
  if (value instanceof UnsignedInt) return uintType;
  if (value instanceof Uint8Array) return bytesType;
  switch (typeof value) {
    case 'string':
      return stringType;
    case 'boolean':
      return boolType;
    case 'bigint':
      return intType;
    case 'number':
      return doubleType;
    default:
      return nullType;
  }
}
