import { constantProblem } from '../cel/check/constants.js';
import type { CompiledRule } from '../cel/compile-rules.js';
import { RuleCompiler } from '../cel/compile-rules.js';
import type { Expression } from '../cel/expression.js';
import { estimateCost } from '../cel/cost/estimate.js';
import { unlimited } from '../cel/cost/range.js';
import { maxRequestBytes } from '../cel/declared-type.js';
import type { DeclaredType } from '../cel/declared-type.js';
import { forbidden, internal, invalid, RawJson } from '../field-error.js';
import { goStructJson } from '../json.js';
import { at, child } from '../path.js';
import type { Cause, Schema, ValidationRule } from '../types.js';

/** The limits of the API server: the estimated cost of a rule, and of all rules of a schema together. */
export const ruleBudget = { each: 10_000_000, total: 100_000_000 } as const;

/** The maximum cost of a rule or a message expression for a whole object. */
export interface RuleCost {
  /** Its path in the definition. */
  readonly path: string;
  readonly cost: number;
}

const maxReported = 4;

const unknownType =
  'internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations';

/** Compiles the rules of a whole schema and computes their maximum cost. */
export class RuleAdmission {
  readonly #compiler: RuleCompiler;
  readonly #costs: RuleCost[] = [];
  #total = 0;

  /** @param limitEach whether each rule has a limit; false for a schema that was accepted before. */
  constructor(
    root: Schema,
    readonly limitEach: boolean,
  ) {
    this.#compiler = new RuleCompiler(root);
  }

  /**
   * @param cardinality maximum number of values of the schema in one object; undefined when it is unbounded.
   * @param uncorrelatable the path of the list in which old values cannot be found, when the schema is inside one.
   */
  check(
    schema: Schema,
    path: string,
    cardinality: number | undefined,
    uncorrelatable: string | undefined,
  ): Cause[] {
    const field = child(path, 'x-kubernetes-validations');
    const declared = this.#compiler.declared.of(schema);
    if (declared === undefined) {
      const hasRules = (schema['x-kubernetes-validations'] ?? []).length > 0;
      return hasRules ? [internal(field, unknownType)] : [];
    }
    const times = cardinality ?? Math.floor(maxRequestBytes / (declared.minBytes + 1));
    return this.#compiler
      .rulesOf(schema)
      .flatMap((compiled, i) => this.#checkRule(compiled, declared, at(field, i), times, uncorrelatable));
  }

  #checkRule(
    { rule, expression, problem: error, message, usesOldSelf }: CompiledRule,
    declared: DeclaredType,
    path: string,
    times: number,
    uncorrelatable: string | undefined,
  ): Cause[] {
    const rulePath = child(path, 'rule');
    const shown = new RawJson(ruleJson(rule));
    const causes: Cause[] = [];
    if (error === undefined)
      causes.push(...this.#checkCost(expression, declared, rulePath, times, 'estimated rule cost'));
    else causes.push(invalid(rulePath, shown, error));
    const messagePath = child(path, 'messageExpression');
    const messageProblem = error === undefined && message !== undefined ? messageError(message) : undefined;
    if (messageProblem !== undefined) causes.push(invalid(messagePath, shown, messageProblem));
    else if (error === undefined && message !== undefined) {
      causes.push(...this.#checkCost(message, declared, messagePath, 1, 'estimated messageExpression cost'));
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
    declared: DeclaredType,
    path: string,
    times: number,
    name: string,
  ): Cause[] {
    if (!('ast' in expression)) return [];
    const cost = Math.min(unlimited, estimateCost(expression.checked, declared) * times);
    this.#total = Math.min(unlimited, this.#total + cost);
    this.#costs.push({ path, cost });
    return this.limitEach && cost > ruleBudget.each
      ? [forbidden(path, excess(name, cost, ruleBudget.each))]
      : [];
  }

  /** The costs of the rules that were checked and could be compiled. */
  get costs(): readonly RuleCost[] {
    return this.#costs;
  }

  /** Returns the causes for a schema whose rules together cost too much; the most expensive rules first. */
  totalCauses(path: string): Cause[] {
    if (this.#total <= ruleBudget.total) return [];
    const culprits = this.#costs
      .filter(({ cost }) => cost >= ruleBudget.total / 100)
      .sort((a, b) => b.cost - a.cost)
      .slice(0, maxReported);
    const detail =
      'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
    const name = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    return [
      ...culprits.map((culprit) => forbidden(culprit.path, detail)),
      forbidden(path, excess(name, this.#total, ruleBudget.total)),
    ];
  }
}

function messageError(message: Expression | { error: string }): string | undefined {
  if ('error' in message) return `messageExpression compilation failed: ${message.error}`;
  if (message.type !== 'string') return 'messageExpression must evaluate to a string';
  const problem = constantProblem(message.checked);
  return problem === undefined ? undefined : `messageExpression instantiation failed: ${problem}`;
}

function excess(name: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const times = factor > 100 ? 'more than 100x' : `${goFixed(factor, factor < 1.5 ? 6 : 1)}x`;
  return `${name} exceeds budget by factor of ${times} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}

/** Rounds a number as Go does: a half is rounded to the even digit. */
function goFixed(value: number, digits: number): string {
  const exact = value.toFixed(60);
  const end = exact.indexOf('.') + 1 + digits;
  const isHalf = /^50*$/.test(exact.slice(end));
  const isEven = Number(exact.charAt(end - 1)) % 2 === 0;
  return isHalf && isEven ? exact.slice(0, end) : value.toFixed(digits);
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
