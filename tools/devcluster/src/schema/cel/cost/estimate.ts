import type { Checked } from '../check/checker.js';
import { accumulatorName } from '../check/syntax.js';
import type { CallExpr, ComprehensionExpr, Expr } from '../check/syntax.js';
import type { DeclaredType } from '../declared-type.js';
import { listCallCost } from './list-costs.js';
import { celCallCost } from './overload-costs.js';
import { kubernetesCallCost } from './function-costs.js';
import type { CallCost, Operand } from './function-costs.js';
import { add, exactly, multiply, union, unknown, unlimited, zero } from './range.js';
import type { Range } from './range.js';
import { SizeEstimator, unionOfSizes } from './sizes.js';
import type { ElementSizes } from './sizes.js';

const listCost = exactly(10);
const mapCost = exactly(30);
/** The step from a list or a map to one of its elements. */
const indexSteps: Readonly<Record<string, string>> = { index_list: '@items', index_map: '@values' };
const selected = new Set(['map', 'struct', 'param']);

/**
 * Returns the maximum cost of the evaluation of an expression, in the units of the API server's limits. It is the
 * estimate of cel-go (checker/cost.go) with the costs that Kubernetes assigns to its functions.
 *
 * @param self what is known of the value of `self` and `oldSelf`.
 */
export function estimateCost(checked: Checked, self: DeclaredType): number {
  return new CostEstimator(checked, self).of(checked.expr).max;
}

class CostEstimator {
  readonly #sizes: SizeEstimator;

  constructor(
    readonly checked: Checked,
    self: DeclaredType,
  ) {
    this.#sizes = new SizeEstimator(checked, self);
  }

  of(expr: Expr): Range {
    switch (expr.kind) {
      case 'literal':
        return zero;
      case 'ident':
        this.#sizes.enterName(expr);
        return exactly(1);
      case 'select': {
        if (this.checked.isQualifiedName(expr)) return exactly(1);
        const operand = this.of(expr.operand);
        if (expr.isTest) return operand;
        const { kind } = this.checked.typeOf(expr.operand);
        this.#sizes.enterStep(expr, expr.operand, expr.field);
        return selected.has(kind) ? add(operand, exactly(1)) : operand;
      }
      case 'call':
        return this.#call(expr);
      case 'list': {
        const { costs, sizes } = this.#parts(expr.items);
        this.#sizes.setElements(expr, { container: 'list', key: exactly(1), value: unionOfSizes(sizes) });
        return add(...costs, listCost);
      }
      case 'map': {
        const { costs, sizes } = this.#parts(expr.entries.flat());
        const [key, value] = [0, 1].map((part) => unionOfSizes(sizes.filter((_, i) => i % 2 === part)));
        this.#sizes.setElements(expr, { container: 'map', key: key ?? zero, value: value ?? zero });
        return add(...costs, mapCost);
      }
      case 'comprehension':
        return isBinding(expr) ? this.#binding(expr) : this.#loop(expr);
    }
  }

  #parts(parts: readonly Expr[]): { costs: Range[]; sizes: (Range | undefined)[] } {
    const estimated = parts.map((part) => ({ cost: this.of(part), size: this.#sizes.of(part) }));
    return { costs: estimated.map(({ cost }) => cost), sizes: estimated.map(({ size }) => size) };
  }

  #call(expr: CallExpr): Range {
    const [first] = expr.args;
    if (expr.name === 'dyn' && first !== undefined) {
      const cost = this.of(first);
      this.#sizes.copy(expr, first);
      return add(cost, exactly(1));
    }
    const costs: Range[] = [];
    const args = expr.args.map((arg) => {
      costs.push(this.of(arg));
      return this.#operand(arg);
    });
    const resolved = this.checked.callOf(expr);
    if (resolved === undefined) return zero;
    const { target } = resolved;
    const targetCost = target === undefined ? zero : this.of(target);
    const receiver = target === undefined ? undefined : this.#operand(target);
    let cost: Range = { min: unlimited, max: 0 };
    let size: Range | undefined;
    for (const overload of resolved.overloads) {
      const call = this.#overload(expr, { ...resolved, overload, target: receiver, args, costs });
      cost = union(cost, call.cost);
      if (call.size !== undefined) size = size === undefined ? call.size : union(size, call.size);
      const step = indexSteps[overload];
      const [container] = expr.args;
      if (step !== undefined && container !== undefined) {
        size = this.#sizes.elementsOf(container)?.value;
        this.#sizes.enterStep(expr, container, step);
      }
      size ??= this.#sizes.of(expr);
    }
    if (size !== undefined) this.#sizes.set(expr, size);
    return add(targetCost, cost);
  }

  #overload(
    expr: CallExpr,
    call: {
      name: string;
      overload: string;
      target: Operand | undefined;
      args: readonly Operand[];
      costs: readonly Range[];
    },
  ): CallCost {
    const { overload, args, costs } = call;
    const own = listCallCost(call) ?? kubernetesCallCost(call);
    if (own !== undefined) return { ...own, cost: add(own.cost, ...costs) };
    const [first = zero, second = zero, third = zero] = costs;
    if (overload === 'logical_and' || overload === 'logical_or') {
      return { cost: { min: first.min, max: add(first, second).max } };
    }
    if (overload === 'conditional') {
      const [, then, otherwise] = args;
      if (then === undefined || otherwise === undefined) return { cost: first };
      const elements = unionElements(
        this.#sizes.elementsOf(then.expr),
        this.#sizes.elementsOf(otherwise.expr),
      );
      if (elements !== undefined) this.#sizes.setElements(expr, elements);
      return { cost: add(first, union(second, third)), size: union(then.size, otherwise.size) };
    }
    if (overload === 'add_list' || overload === 'add_string' || overload === 'add_bytes') {
      const [left, right] = args.map((arg) => this.#sizes.elementsOf(arg.expr));
      const elements = unionElements(left, right);
      if (elements !== undefined) this.#sizes.setElements(expr, elements);
    }
    const { cost, size } = celCallCost(call);
    return { cost: add(cost, ...costs), size };
  }

  #operand(expr: Expr): Operand {
    const size = this.#sizes.of(expr);
    return {
      type: this.checked.typeOf(expr),
      expr,
      size: size ?? unknown,
      hasSize: size !== undefined,
      elementSize: () => this.#sizes.ofElement(expr) ?? unknown,
    };
  }

  #loop(expr: ComprehensionExpr): Range {
    const { range, init, valueVariable, variable, accumulator } = expr;
    const before = add(this.of(range), this.of(init));
    this.#sizes.pushLocal(accumulator, init);
    if (valueVariable === undefined) {
      this.#sizes.pushElement(variable, range, this.#sizes.isList(range) ? 'value' : 'key');
    } else {
      this.#sizes.pushElement(variable, range, 'key');
      this.#sizes.pushElement(valueVariable, range, 'value');
    }
    const each = add(this.of(expr.condition), this.of(expr.step));
    this.#sizes.pop(variable);
    if (valueVariable !== undefined) this.#sizes.pop(valueVariable);
    const after = this.of(expr.result);
    this.#sizes.pop(accumulator);
    const count = this.#sizes.of(range) ?? unknown;
    this.#keepSize(expr, count);
    return add(before, after, multiply(count, each));
  }

  /** Records the size of the result of a loop: a list or map has at most as many elements as the range of the loop. */
  #keepSize(expr: ComprehensionExpr, count: Range): void {
    const { init, step } = expr;
    if (init.kind === 'literal') this.#sizes.set(expr, exactly(1));
    if (init.kind !== 'list' && init.kind !== 'map') return;
    this.#sizes.set(expr, count);
    const elements = this.#sizes.elementsOf(step);
    if (elements !== undefined) this.#sizes.setElements(expr, elements);
  }

  #binding(expr: ComprehensionExpr): Range {
    const before = add(this.of(expr.range), this.of(expr.init));
    this.#sizes.pushLocal(expr.accumulator, expr.init);
    const result = this.of(expr.result);
    this.#sizes.pop(expr.accumulator);
    this.#sizes.copy(expr, expr.result);
    return add(before, result);
  }
}

/** Returns a loop over nothing, whose accumulator is a local variable. */
function isBinding({ range, condition, accumulator }: ComprehensionExpr): boolean {
  return (
    range.kind === 'list' &&
    range.items.length === 0 &&
    condition.kind === 'literal' &&
    condition.value === false &&
    accumulator !== accumulatorName
  );
}

function unionElements(a: ElementSizes | undefined, b: ElementSizes | undefined): ElementSizes | undefined {
  return a === undefined || b === undefined
    ? undefined
    : { container: a.container, key: union(a.key, b.key), value: union(a.value, b.value) };
}
