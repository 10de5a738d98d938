import { evaluateConditions } from '../webhooks/match-conditions.js';
import { Activation, BudgetError, valuesOf, type Inputs, type Result, type Values } from './activation.js';
import type { Policy, PolicyExpression, Validation } from './policy.js';

/** Cost limit of all expressions of a policy, for one binding and one parameter. */
const policyBudget = 10_000_000;
const conditionsBudget = 2_500_000;
const maxMessageBytes = 5 * 1024;

/** A failed validation of a policy. */
export interface Denial {
  message: string;
  /** A reason of a Status; empty for Invalid. */
  reason: string;
}

/** The result of the evaluation of a policy. */
interface Outcome {
  denials: readonly Denial[];
  /** Audit annotations that failed. They deny the request, whatever the actions of the binding are. */
  annotationDenials: readonly Denial[];
}

const nothing: Outcome = { denials: [], annotationDenials: [] };

/** Evaluates a policy for a request and a parameter. Source: apiserver policy/validating, validator.go. */
export function evaluatePolicy(policy: Policy, inputs: Inputs): Outcome {
  const failure = (message: string): Outcome =>
    policy.ignoresFailure ? nothing : { ...nothing, denials: [{ message, reason: '' }] };
  const values = valuesOf(inputs);
  const matches = conditionsHold(policy, values);
  if (typeof matches === 'object') return failure(matches.error);
  if (!matches) return nothing;
  const validations = runAll(policy, policy.validations, values, policyBudget);
  if ('error' in validations) return failure(validations.error);
  const messages = runAll(
    policy,
    policy.validations.map(({ messageExpression }) => messageExpression),
    values,
    validations.budget,
  );
  const denials = policy.validations.flatMap((validation, index) => {
    const result = validations.results[index];
    if (result === undefined) return [];
    const error = 'error' in result ? result.error : messagesError(messages);
    if (error !== undefined) return policy.ignoresFailure ? [] : [{ message: error, reason: '' }];
    if ('value' in result && result.value === true) return [];
    const message = 'error' in messages ? undefined : messages.results[index];
    return [{ message: denialMessage(validation, message), reason: validation.reason }];
  });
  const annotations = runAll(policy, policy.auditAnnotations, values, policyBudget);
  if ('error' in annotations) return failure(annotations.error);
  const annotationDenials = annotations.results.flatMap((result) =>
    result === undefined || !('error' in result) || policy.ignoresFailure
      ? []
      : [{ message: result.error, reason: '' }],
  );
  return { denials, annotationDenials };
}

function messagesError(messages: ReturnType<typeof runAll>): string | undefined {
  return 'error' in messages ? `failed messageExpression: ${messages.error}` : undefined;
}

function conditionsHold(policy: Policy, values: Values): boolean | { error: string } {
  /* The real server does not provide the namespace to conditions either. */
  const activation = new Activation(policy, { ...values, namespaceObject: null }, conditionsBudget);
  try {
    return evaluateConditions(
      policy.matchConditions.map((condition) => () => activation.evaluate(condition)),
    );
  } catch (error) {
    if (error instanceof BudgetError) return { error: error.message };
    throw error;
  }
}

/** Evaluates expressions in order. Absent expressions have no result. */
function runAll(
  policy: Policy,
  expressions: readonly (PolicyExpression | undefined)[],
  values: Values,
  budget: number,
): { results: (Result | undefined)[]; budget: number } | { error: string } {
  const activation = new Activation(policy, values, budget);
  try {
    const results = expressions.map((one) => (one === undefined ? undefined : activation.evaluate(one)));
    return { results, budget: activation.budget };
  } catch (error) {
    if (error instanceof BudgetError) return { error: error.message };
    throw error;
  }
}

function denialMessage({ message, source }: Validation, evaluated: Result | undefined): string {
  if (evaluated !== undefined && 'value' in evaluated && typeof evaluated.value === 'string') {
    const text = evaluated.value.trim();
    if (text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= maxMessageBytes) return text;
  }
  return message.trim() === '' ? `failed expression: ${source.trim()}` : message.trim();
}
