import {
  containerList,
  containersOf,
  distinct,
  hasUserNamespace,
  namesOf,
  quoted,
  securityOption,
  type Check,
  type CheckPod,
} from './check.js';
import type { JsonObject } from '../../../schema/types.js';

function forbiddenMount(container: JsonObject): string | undefined {
  const type = securityOption(container, 'procMount');
  return typeof type === 'string' && type !== 'Default' ? type : undefined;
}

const check: CheckPod = (pod) => {
  const bad = namesOf(pod, (container) => forbiddenMount(container) !== undefined);
  if (bad.length === 0) return undefined;
  const types = distinct(containersOf(pod).flatMap((container) => forbiddenMount(container) ?? []));
  return {
    reason: 'procMount',
    detail: `${containerList(bad)} must not set securityContext.procMount to ${quoted(types)}`,
  };
};

/** Baseline: /proc must be masked, except in a user namespace. */
export const procMountBaseline: Check = {
  id: 'procMount',
  level: 'baseline',
  versions: [
    { since: 0, check },
    { since: 35, check: (pod) => (hasUserNamespace(pod) ? undefined : check(pod)) },
  ],
};

/** Restricted: /proc must be masked. */
export const procMountRestricted: Check = {
  id: 'procMount_restricted',
  level: 'restricted',
  overrides: 'procMount',
  versions: [{ since: 35, check }],
};
