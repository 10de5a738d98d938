import type { ASTNode } from '@marcbachmann/cel-js';
import { walk, type Expression } from '../expression.js';
import { actualCost } from './actual-costs.js';
import { loopOf, type Loop } from './loop-costs.js';

/** The result of an expression, and its cost. */
export type Metered = ({ value: unknown } | { error: string }) & { cost: number };

const exceeded = 'operation cancelled: actual cost limit exceeded';

/** Evaluates an expression and counts what it costs, with the costs of cel-go (interpreter/runtimecost.go). */
export class Meter {
  readonly #expression: Expression;
  /** The values of the nodes that have been evaluated; what a call costs depends on its arguments. */
  readonly #values = new Map<ASTNode, unknown>();
  /** The loops by their bodies. */
  readonly #loops = new Map<ASTNode, Loop>();
  #cost = 0;
  #limit = 0;

  constructor(expression: Expression) {
    this.#expression = expression;
    walk(expression.program, (node) => {
      const loop = loopOf(node);
      for (const part of loop?.parts ?? []) if (loop !== undefined) this.#loops.set(part, loop);
      this.#observe(node);
    });
  }

  /** Evaluates the expression; the result is an error when the cost exceeds the limit. */
  evaluate(variables: Readonly<Record<string, unknown>>, limit: number): Metered {
    this.#cost = 0;
    this.#limit = limit;
    const result = this.#expression.evaluate(variables);
    this.#values.clear();
    return this.#cost > limit ? { error: exceeded, cost: this.#cost } : { ...result, cost: this.#cost };
  }

  /**
   * Counts each evaluation of a node. The engine does not have a hook for this: a node evaluates itself with its method
   * `evaluate`, which it replaces with a faster method on the first call.
   */
  #observe(node: ASTNode): void {
    const finding: unknown = Reflect.get(node, 'evaluate');
    let evaluate = finding;
    const counted = (...args: unknown[]): unknown => {
      if (typeof evaluate !== 'function')
        throw new Error('a node of an expression has no method to evaluate it');
      if (evaluate === finding) return Reflect.apply(evaluate, node, args);
      const value: unknown = Reflect.apply(evaluate, node, args);
      this.#count(node, value);
      return value;
    };
    Object.defineProperty(node, 'evaluate', {
      get: () => counted,
      set: (next: unknown) => {
        evaluate = next;
      },
    });
  }

  #count(node: ASTNode, value: unknown): void {
    this.#values.set(node, value);
    this.#cost += actualCost(node, (part) => this.#values.get(part));
    this.#cost += this.#loops.get(node)?.costOfPart(node, value) ?? 0;
    /* An error ends the evaluation, but operators and loops go on with it: each further step fails as well. */
    if (this.#cost > this.#limit) throw new Error(exceeded);
  }
}
