import { messageOf, type GitOpsResponderConfig, type ResponseRoute } from '@interlock/api';
import type { FieldProblem } from '@interlock/base';
import { checkTemplate } from '../template/check.js';
import { compileExpression } from './expression.js';
import { routesOf } from './convert.js';

/**
 * Returns the problems of a configuration that its schema does not detect; empty if it is valid. Fields are named as in the
 * format of the configuration.
 */
export function configProblems(spec: GitOpsResponderConfig['spec']): FieldProblem[] {
  const { routes, problems } = routesOf(spec);
  if (spec.providers !== undefined) return problems;
  return [...problems, ...routes.flatMap((route, index) => routeProblems(route, `spec.routes[${index}]`))];
}

function routeProblems(route: ResponseRoute, field: string): FieldProblem[] {
  const { match, prTemplate, titleTemplate, provider, onGateClosed, gateRef } = route;
  const expression = check(`${field}.match.expr`, match?.expr, compileExpression);
  const checkOne = (text: string): void => checkTemplate(text, gateRef !== undefined);
  const templates = [
    ...check(`${field}.prTemplate`, prTemplate, checkOne),
    ...check(`${field}.titleTemplate`, titleTemplate, checkOne),
  ];
  const problems: FieldProblem[] = [];
  const { kind, repository, host, appCredentialsRef, credentialsRef } = provider;
  if (kind !== 'gitlab' && kind !== 'noop' && repository.split('/').length !== 2)
    problems.push({ field: `${field}.provider.repository`, value: repository, message: 'write owner/name' });
  if (kind === 'github-app' && appCredentialsRef === undefined)
    problems.push({
      field: `${field}.provider.appCredentialsRef`,
      message: 'kind github-app requires this field',
    });
  if (['github-pat', 'gitlab', 'gitea'].includes(kind) && credentialsRef === undefined)
    problems.push({ field: `${field}.provider.credentialsRef`, message: `kind ${kind} requires this field` });
  if (kind === 'gitea' && host === undefined)
    problems.push({ field: `${field}.provider.host`, message: 'kind gitea requires this field' });
  if (onGateClosed !== undefined && gateRef === undefined)
    problems.push({
      field: `${field}.onGateClosed`,
      value: onGateClosed,
      message: 'name the gate in gateRef',
    });
  return [...expression, ...templates, ...problems];
}

function check(field: string, value: string | undefined, parse: (text: string) => unknown): FieldProblem[] {
  if (value === undefined) return [];
  try {
    parse(value);
    return [];
  } catch (error) {
    return [{ field, value, message: messageOf(error) }];
  }
}
