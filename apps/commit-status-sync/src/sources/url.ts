import { renderTemplate, shortSHA, TypedError, type PromotionStrategy } from '@interlock/api';
import { prefixOf } from '@interlock/base';
import type { ActiveEnvironment, JudgedObject } from './model.js';

const maxUrl = 2048;

/**
 * Returns the address of an environment's report; values are escaped as parts of a URL.
 * @param deciding the object that decides the phase, to which the address may point.
 * @throws TypedError `Invalid` for a template that does not render to an address.
 */
export function renderUrl(
  template: string,
  strategy: PromotionStrategy | undefined,
  environment: ActiveEnvironment,
  deciding: JudgedObject | undefined,
): string {
  const { branch, sha = '' } = environment;
  const url = renderTemplate(
    template,
    {
      'environment.branch': branch,
      'hydrated.sha': sha,
      'hydrated.shortSHA': shortSHA(sha),
      'strategy.name': strategy?.metadata.name ?? '',
      'strategy.namespace': strategy?.metadata.namespace ?? '',
      'object.kind': deciding?.kind ?? '',
      'object.namespace': deciding?.namespace ?? '',
      'object.name': deciding?.name ?? '',
    },
    encodeURIComponent,
  );
  if (url.length > maxUrl) throw invalid(url, `has ${url.length} characters; shorten it to ${maxUrl}`);
  if (!URL.canParse(url)) throw invalid(url, 'is not an address; write one that begins with https://');
  return url;
}

function invalid(url: string, problem: string): TypedError {
  const message = `template: ${JSON.stringify(prefixOf(url, 200))} ${problem}`;
  return new TypedError('Invalid', message, { reason: 'InvalidTemplate' });
}
