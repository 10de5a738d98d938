import { isProblem, matchesWildcard, Problem, type OrProblem } from '@interlock/base';
import { CelValues, StepLimitError, type Condition } from '@interlock/cel';
import { messageOf, type EventResponse, type ResponseRoute, type SecurityEvent } from '@interlock/api';
import { eventFields, isFields, responseFields, type Fields } from '../facts.js';
import { quoted } from '../problem.js';
import { compileExpression } from './expression.js';

type Match = NonNullable<ResponseRoute['match']>;

export interface RouteFacts {
  response: EventResponse;
  /** Absent if the response does not refer to an event, or if the event does not exist. */
  event?: SecurityEvent | undefined;
}

/** The result of a condition, with its reason. */
interface ConditionResult {
  condition: keyof Match;
  holds: boolean;
  /** A sentence for messages. */
  reason: string;
  /** Why it is not known whether the condition holds. */
  unknown?: string | undefined;
}

/** The result of a route, with its conditions. A route without conditions matches everything. */
export interface RouteResult {
  index: number;
  matches: boolean;
  conditions: ConditionResult[];
}

export interface TakenRoute {
  index: number;
  route: ResponseRoute;
}

/** A route of which it is not known whether it matches, because its expression takes too many steps. */
export interface UndecidedRoute {
  index: number;
  reason: string;
}

export interface Routing {
  /** The first route that matches, unless an earlier one is undecided. */
  taken?: TakenRoute | undefined;
  /** Instead of `taken`. The author of an event can make an expression costly, but not choose a later route by that. */
  undecided?: UndecidedRoute | undefined;
  /** One result for each route, including the routes after the chosen one. */
  results: RouteResult[];
}

/** Routes whose expressions are parsed. */
export interface CompiledRoutes {
  routes: readonly ResponseRoute[];
  /** Compiled expressions by the index of the route. */
  expressions: ReadonlyMap<number, OrProblem<Condition>>;
}

/** Compiles routes for repeated matching. An invalid expression never holds. */
export function compileRoutes(routes: readonly ResponseRoute[]): CompiledRoutes {
  const expressions = new Map<number, OrProblem<Condition>>();
  for (const [index, { match }] of routes.entries()) {
    if (match?.expr === undefined) continue;
    try {
      expressions.set(index, compileExpression(match.expr));
    } catch (error) {
      expressions.set(index, new Problem('InvalidExpression', messageOf(error), { transient: false }));
    }
  }
  return { routes, expressions };
}

/** Returns which route a response takes, and why. Pure. */
export function route({ routes, expressions }: CompiledRoutes, facts: RouteFacts): Routing {
  const given = givenBy(facts);
  const results = routes.map(({ match = {} }, index) => resultOf(index, conditionsOf(match, given)));
  /* Expressions share their steps. That of an excluded route is only reported, so it must not take steps of the others. */
  const excluded = results.filter(({ matches }) => !matches);
  for (const { index, conditions } of [...results.filter(({ matches }) => matches), ...excluded]) {
    const expr = routes[index]?.match?.expr;
    if (expr === undefined) continue;
    results[index] = resultOf(index, [...conditions, expressionHolds(expr, expressions.get(index), given)]);
  }
  for (const [index, one] of routes.entries()) {
    const { matches = false, conditions = [] } = results[index] ?? {};
    if (matches) return { taken: { index, route: one }, results };
    const reason = reasonUndecided(conditions);
    if (reason !== undefined) return { undecided: { index, reason }, results };
  }
  return { results };
}

function resultOf(index: number, conditions: ConditionResult[]): RouteResult {
  return { index, matches: conditions.every(({ holds }) => holds), conditions };
}

/** Returns why it is not known whether a route matches, if no known condition excludes it. */
function reasonUndecided(conditions: readonly ConditionResult[]): string | undefined {
  const [first, ...rest] = conditions.filter(({ holds }) => !holds);
  return rest.length === 0 ? first?.unknown : undefined;
}

interface Given {
  event: Fields;
  subject: Fields;
  /** The variables of expressions: an event may be large, and every route may have an expression. */
  variables: CelValues;
  actionRef: string;
  labels: ReadonlyMap<string, readonly string[]>;
}

function givenBy({ event: object, response: er }: RouteFacts): Given {
  const event = eventFields(object);
  const response = responseFields(er);
  const subject = isFields(event['subject']) ? event['subject'] : {};
  const labels = new Map<string, string[]>();
  for (const source of [response['labels'], subject['labels']])
    for (const [key, value] of Object.entries(isFields(source) ? source : {}))
      labels.set(key, [...(labels.get(key) ?? []), String(value)]);
  const variables = new CelValues({ event, subject, response });
  return { event, subject, variables, actionRef: er.spec.action.actionRef ?? '', labels };
}

/** Returns the results of the conditions other than the expression. */
function conditionsOf(match: Match, given: Given): ConditionResult[] {
  const { event, subject } = given;
  const results: ConditionResult[] = [];
  const equal = (condition: 'actionRef' | 'eventClass' | 'eventType' | 'subjectKind', actual: unknown) => {
    const required = match[condition];
    if (required !== undefined)
      results.push(compared(condition, actual === required, actual, quoted(required)));
  };
  equal('actionRef', given.actionRef);
  equal('eventClass', event['class']);
  equal('eventType', event['type']);
  const { severity, subjectNamespace, labels } = match;
  if (severity !== undefined) {
    const holds = severity.some((one) => one === event['severity']);
    results.push(compared('severity', holds, event['severity'], `one of ${severity.join(', ')}`));
  }
  equal('subjectKind', subject['kind']);
  if (subjectNamespace !== undefined) {
    const namespace = String(subject['namespace']);
    const holds = matchesWildcard(subjectNamespace, namespace);
    results.push(compared('subjectNamespace', holds, namespace, quoted(subjectNamespace)));
  }
  if (labels !== undefined) results.push(labelsHold(labels, given.labels));
  return results;
}

function compared(
  condition: keyof Match,
  holds: boolean,
  actual: unknown,
  required: string,
): ConditionResult {
  const is = actual === '' ? 'is not set' : `is ${quoted(String(actual))}`;
  return { condition, holds, reason: `${condition} ${is}, required: ${required}` };
}

function labelsHold(required: Record<string, string>, labels: Given['labels']): ConditionResult {
  const missing = Object.entries(required).find(([key, value]) => labels.get(key)?.includes(value) !== true);
  if (missing === undefined) return { condition: 'labels', holds: true, reason: 'all labels match' };
  const [key, value] = missing;
  const found = labels.get(key)?.map(quoted).join(' and ');
  const reason = `label ${quoted(key)} is ${found ?? 'not set'}, required: ${quoted(value)}`;
  return { condition: 'labels', holds: false, reason };
}

function expressionHolds(
  source: string,
  expression: OrProblem<Condition> | undefined,
  { variables }: Given,
): ConditionResult {
  const result = (holds: boolean, reason: string): ConditionResult => ({ condition: 'expr', holds, reason });
  if (expression === undefined || isProblem(expression))
    return result(false, `${quoted(source)} is not CEL: ${expression?.message ?? 'it is not compiled'}`);
  try {
    const holds = expression.evaluate(variables);
    return result(holds, `${quoted(source)} is ${holds}`);
  } catch (error) {
    const unknown = error instanceof StepLimitError ? error.message : undefined;
    const failed = result(false, `${quoted(source)} cannot be evaluated: ${messageOf(error)}`);
    return unknown === undefined ? failed : { ...failed, unknown };
  }
}
