import type { Node } from './ast.js';
import type { Budget } from './budget.js';

type Evaluate = (evaluator: unknown, node: unknown, context: unknown) => unknown;

/** A node as the engine has it; its declarations leave out what is not for callers. */
interface EngineNode {
  op: string;
  args: unknown;
  meta: { evaluate?: Evaluate; alternate?: unknown; macro?: unknown };
  setMeta(key: 'evaluate', value: Evaluate): unknown;
}

/** What these do with their operands grows with the size of these. */
const deepOperators = new Set(['==', '!=', 'in', '+']);

/**
 * Makes each node of a checked expression spend its steps when it is evaluated: one for itself, and the size of a value
 * that is compared, searched or joined.
 *
 * @throws Error when the engine does not evaluate as this expects.
 */
export function meter(root: Node, budget: Budget): void {
  const seen = new Set<EngineNode>();
  const visit = (value: unknown, isDeep: boolean) => {
    if (Array.isArray(value)) value.forEach((item) => visit(item, isDeep));
    else if (isNode(value)) {
      if (seen.has(value)) return;
      seen.add(value);
      meterNode(value, isDeep, budget);
      /* A macro is replaced by another node, or evaluates its arguments itself. */
      visit(value.args, deepOperators.has(value.op) || (isDeep && value.meta.macro !== undefined));
      visit(value.meta.alternate, isDeep);
    } else if (typeof value === 'object' && value !== null && 'iterable' in value && 'step' in value) {
      const { iterable, init, step } = value as { iterable: unknown; init?: unknown; step: unknown };
      visit([iterable, init, step], false);
    }
  };
  visit(root, false);
}

function meterNode(node: EngineNode, isDeep: boolean, budget: Budget): void {
  const { evaluate } = node.meta;
  if (typeof evaluate !== 'function') throw new Error('it cannot be bounded');
  const isConstant = node.op === 'value';
  node.setMeta('evaluate', (evaluator, self, context) => {
    budget.spend(1);
    const value = evaluate(evaluator, self, context);
    if (isDeep && !isConstant) budget.spendOn(value);
    return value;
  });
}

function isNode(value: unknown): value is EngineNode {
  return (
    typeof value === 'object' &&
    value !== null &&
    'op' in value &&
    'meta' in value &&
    'setMeta' in value &&
    typeof value.setMeta === 'function'
  );
}
