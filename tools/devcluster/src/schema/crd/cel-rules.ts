import { estimateCost } from '../cel/cost.js';
import type { CompiledRule } from '../cel/compile-rules.js';
import { RuleCompiler } from '../cel/compile-rules.js';
import type { Expression } from '../cel/expression.js';
import { MAX_REQUEST_BYTES, minBytes } from '../cel/sizes.js';
import { forbidden, invalid, RawJson } from '../field-error.js';
import { goStructJson } from '../json.js';
import { at, child } from '../path.js';
import type { Cause, Schema, ValidationRule } from '../types.js';

const MAX_EXPRESSION_COST = 10_000_000;
const MAX_TOTAL_COST = 100_000_000;
const MAX_REPORTED = 4;

/** Compiles the rules of a whole schema and adds up what they may cost. */
export class RuleAdmission {
  readonly #compiler: RuleCompiler;
  readonly #expensive: { path: string; cost: number }[] = [];
  #total = 0;

  /** @param limitEach whether each rule has a limit; not so in a schema that was accepted before. */
  constructor(
    root: Schema,
    readonly limitEach: boolean,
  ) {
    this.#compiler = new RuleCompiler(root);
  }

  /**
   * @param cardinality how often the schema's values occur at most in one object; undefined when nothing bounds it.
   * @param uncorrelatable the path of the list or map in which old values cannot be found, when the schema is inside one.
   */
  check(
    schema: Schema,
    path: string,
    cardinality: number | undefined,
    uncorrelatable: string | undefined,
  ): Cause[] {
    const field = child(path, 'x-kubernetes-validations');
    const times = cardinality ?? Math.floor(MAX_REQUEST_BYTES / (minBytes(schema) + 1));
    return this.#compiler
      .rulesOf(schema)
      .flatMap((compiled, i) => this.#checkRule(compiled, schema, at(field, i), times, uncorrelatable));
  }

  #checkRule(
    { rule, expression, message, usesOldSelf }: CompiledRule,
    schema: Schema,
    path: string,
    times: number,
    uncorrelatable: string | undefined,
  ): Cause[] {
    const rulePath = child(path, 'rule');
    const shown = new RawJson(ruleJson(rule));
    const error = ruleError(expression);
    const causes: Cause[] = [];
    if (error === undefined)
      causes.push(...this.#checkCost(expression, schema, rulePath, times, 'estimated rule cost'));
    else causes.push(invalid(rulePath, shown, error));
    const messagePath = child(path, 'messageExpression');
    const messageProblem = error === undefined && message !== undefined ? messageError(message) : undefined;
    if (messageProblem !== undefined) causes.push(invalid(messagePath, shown, messageProblem));
    else if (error === undefined && message !== undefined) {
      causes.push(...this.#checkCost(message, schema, messagePath, 1, 'estimated messageExpression cost'));
    }
    if (usesOldSelf && uncorrelatable !== undefined) {
      const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`;
      causes.push(invalid(rulePath, rule.rule, detail));
    } else if (!usesOldSelf && rule.optionalOldSelf !== undefined) {
      const detail = 'may not be set if oldSelf is not used in rule';
      causes.push(invalid(child(path, 'optionalOldSelf'), rule.optionalOldSelf, detail));
    }
    return causes;
  }

  #checkCost(
    expression: Expression | { error: string },
    schema: Schema,
    path: string,
    times: number,
    name: string,
  ): Cause[] {
    if (!('ast' in expression)) return [];
    const cost = estimateCost(expression.ast, schema, this.#compiler.types) * times;
    this.#total += cost;
    this.#expensive.push({ path, cost });
    return this.limitEach && cost > MAX_EXPRESSION_COST
      ? [forbidden(path, excess(name, cost, MAX_EXPRESSION_COST))]
      : [];
  }

  /** The causes for a schema whose rules together cost too much; the most expensive rules first. */
  totalCauses(path: string): Cause[] {
    if (this.#total <= MAX_TOTAL_COST) return [];
    const culprits = this.#expensive
      .filter(({ cost }) => cost >= MAX_TOTAL_COST / 100)
      .sort((a, b) => b.cost - a.cost)
      .slice(0, MAX_REPORTED);
    const detail =
      'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
    const name = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    return [
      ...culprits.map((culprit) => forbidden(culprit.path, detail)),
      forbidden(path, excess(name, this.#total, MAX_TOTAL_COST)),
    ];
  }
}

function ruleError(expression: Expression | { error: string }): string | undefined {
  if ('error' in expression) return `compilation failed: ${expression.error}`;
  return expression.type === 'bool' ? undefined : 'cel expression must evaluate to a bool';
}

function messageError(message: Expression | { error: string }): string | undefined {
  if ('error' in message) return `messageExpression compilation failed: ${message.error}`;
  return message.type === 'string' ? undefined : 'messageExpression must evaluate to a string';
}

function excess(name: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const digits = factor < 1.5 ? 6 : 1;
  const times = factor > 100 ? 'more than 100x' : `${factor.toFixed(digits)}x`;
  return `${name} exceeds budget by factor of ${times} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}

function ruleJson(rule: ValidationRule): string {
  return goStructJson([
    ['Rule', rule.rule],
    ['Message', rule.message ?? ''],
    ['MessageExpression', rule.messageExpression ?? ''],
    ['Reason', rule.reason ?? null],
    ['FieldPath', rule.fieldPath ?? ''],
    ['OptionalOldSelf', rule.optionalOldSelf ?? null],
  ]);
}
