import type { Json, JsonObject } from '../../schema/types.js';
import type { Metered } from '../../schema/cel/cost/meter.js';
import type { CelAuthorizer } from '../../schema/cel/library-authorizer.js';
import { dynamicValue } from '../../schema/cel/values.js';
import type { Policy, PolicyExpression } from './policy.js';

/** Cost limit of an expression. */
const expressionLimit = 1_000_000;

const outOfBudget =
  'validation failed due to running out of cost budget, no further validation rules will be run';

/** The inputs of the evaluation of a policy. */
export interface Inputs {
  /** An AdmissionRequest with its objects. */
  request: JsonObject;
  /** Null for cluster-scoped objects, including namespaces. */
  namespace: JsonObject | null;
  params: JsonObject | null;
  authorizer: CelAuthorizer;
}

/** The values of the variables that all expressions have. */
export type Values = Readonly<Record<string, unknown>>;

/** Returns the inputs as the values of the variables of an expression. */
export function valuesOf(inputs: Inputs): Values {
  const { object = null, oldObject = null, uid: _uid, ...request } = inputs.request;
  return {
    object: dynamicValue(object),
    oldObject: dynamicValue(oldObject),
    request: dynamicValue(request),
    namespaceObject: dynamicValue(inputs.namespace),
    params: dynamicValue(inputs.params),
    authorizer: inputs.authorizer,
  };
}

export type Result = { value: unknown } | { error: string };

/** The expressions together exceed their cost limit. */
export class BudgetError extends Error {
  override readonly name = 'BudgetError';

  constructor() {
    super(outOfBudget);
  }
}

/**
 * Evaluates expressions of a policy one after the other, with a shared cost limit. A variable of the policy is
 * evaluated when an expression first uses it. Source: apiserver admission/plugin/cel, activation.go and composition.go.
 */
export class Activation {
  readonly #values: Values;
  #spentOnVariables = 0;
  #budget: number;

  constructor({ variables }: Policy, values: Values, budget: number) {
    this.#budget = budget;
    this.#values = { ...values, variables: this.#lazy(variables) };
  }

  /** The remaining budget. */
  get budget(): number {
    return this.#budget;
  }

  /** Evaluates an expression. Throws BudgetError. */
  evaluate({ source, compiled }: PolicyExpression): Result {
    if ('error' in compiled) return { error: `compilation error: ${compiled.error}` };
    const result = compiled.meter.evaluate(this.#values, expressionLimit);
    this.#spend(this.#spentOnVariables);
    this.#spentOnVariables = 0;
    this.#spend(result.cost);
    if ('error' in result) return { error: `expression '${source}' resulted in error: ${result.error}` };
    return result;
  }

  #spend(cost: number): void {
    if (cost > this.#budget) throw new BudgetError();
    this.#budget -= cost;
  }

  #lazy(variables: Policy['variables']): object {
    const lazy = {};
    for (const variable of variables) {
      let known: Metered | undefined;
      Object.defineProperty(lazy, variable.name, {
        enumerable: true,
        get: () => {
          known ??= this.#variable(variable);
          if ('error' in known) throw new Error(known.error);
          return known.value;
        },
      });
    }
    return lazy;
  }

  #variable({ name, compiled }: Policy['variables'][number]): Metered {
    const quoted = JSON.stringify(name);
    if ('error' in compiled) {
      return { error: `composited variable ${quoted} fails to compile: ${compiled.error}`, cost: 0 };
    }
    const result = compiled.meter.evaluate(this.#values, expressionLimit);
    this.#spentOnVariables += result.cost;
    if (!('error' in result)) return result;
    return { ...result, error: `composited variable ${quoted} fails to evaluate: ${result.error}` };
  }
}

/** Returns a Namespace as the value for expressions. */
export function namespaceValue(namespace: JsonObject): JsonObject {
  const metadata = namespace['metadata'];
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return namespace;
  const { managedFields: _managed, ownerReferences: _owners, ...rest } = metadata;
  const shown: Record<string, Json> = { ...namespace, metadata: rest };
  return shown;
}
