import type { Node } from './ast.js';
import type { Budget } from './budget.js';

type Evaluate = (evaluator: unknown, node: unknown, context: unknown) => unknown;

/** A node of the engine, with fields that its public declarations omit. */
interface EngineNode {
  op: string;
  args: unknown;
  meta: { evaluate?: Evaluate; alternate?: unknown; macro?: unknown };
  setMeta(key: 'evaluate', value: Evaluate): unknown;
}

/** How much of a value a function reads. */
type Reading = 'none' | 'size' | 'all';

const readAll = new Set(['==', '!=', 'in', '+']);
/** Functions that do not read their arguments in full. All other functions do, and return a result of similar size. */
const readSize = new Set(['size', 'dyn', 'type']);

/**
 * Makes each node of a checked expression spend its steps when it is evaluated: one for itself, the size of each value
 * that is compared, searched, joined or passed to a function, and the size of the result of a function.
 *
 * @throws Error when the engine does not evaluate as this function expects
 */
export function meter(root: Node, budget: Budget): void {
  const seen = new Set<EngineNode>();
  const visit = (value: unknown, reading: Reading) => {
    if (Array.isArray(value)) value.forEach((item) => visit(item, reading));
    else if (isNode(value)) {
      if (seen.has(value)) return;
      seen.add(value);
      const ofOperands = readingOfOperands(value, reading);
      meterNode(value, isFunction(value) && ofOperands === 'all' ? 'all' : reading, budget);
      /* A macro is replaced by another node, or evaluates its arguments itself. */
      visit(value.args, ofOperands);
      visit(value.meta.alternate, reading);
    } else if (typeof value === 'object' && value !== null && 'iterable' in value && 'step' in value) {
      const { iterable, init, step } = value as { iterable: unknown; init?: unknown; step: unknown };
      /* The engine copies the keys of a map before the first step. */
      visit(iterable, 'size');
      visit([init, step], 'none');
    }
  };
  visit(root, 'none');
}

function readingOfOperands(node: EngineNode, reading: Reading): Reading {
  if (readAll.has(node.op)) return 'all';
  if (isFunction(node)) return readSize.has(nameOf(node)) ? 'size' : 'all';
  return node.meta.macro === undefined ? 'none' : reading;
}

function isFunction({ op, meta }: EngineNode): boolean {
  return (op === 'call' || op === 'rcall') && meta.macro === undefined;
}

function nameOf({ args }: EngineNode): string {
  return Array.isArray(args) ? String(args[0]) : '';
}

function meterNode(node: EngineNode, reading: Reading, budget: Budget): void {
  const { evaluate } = node.meta;
  if (typeof evaluate !== 'function') throw new Error('its cost cannot be bounded');
  const isRead = reading !== 'none' && node.op !== 'value';
  node.setMeta('evaluate', (evaluator, self, context) => {
    budget.spend(1);
    const value = evaluated(budget, () => evaluate(evaluator, self, context));
    if (isRead && reading === 'all') budget.spendOn(value);
    else if (isRead) budget.spendOnSize(value);
    return value;
  });
}

function evaluated(budget: Budget, evaluate: () => unknown): unknown {
  try {
    return evaluate();
  } catch (error) {
    budget.spendOnError(error);
    throw error;
  }
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
