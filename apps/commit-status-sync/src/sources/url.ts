import { renderTemplate, shortSHA, TypedError, type PromotionStrategy } from '@interlock/api';
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
  if (URL.canParse(url) && url.length <= maxUrl) return url;
  throw new TypedError('Invalid', `template: ${JSON.stringify(url.slice(0, 200))} is not an address`, {
    reason: 'InvalidTemplate',
  });
}
