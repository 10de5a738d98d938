import {
  containerList,
  containersOf,
  distinct,
  isWindows,
  namesOf,
  quoted,
  securityObject,
  type Check,
  type CheckPod,
  type PodTemplate,
} from './check.js';
import { textsAt } from '../../../object.js';
import type { JsonObject } from '../../../schema/types.js';

const defaultSet = [
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
];

/** Returns the capabilities that a container adds or drops. */
function listed(container: JsonObject, field: 'add' | 'drop'): string[] {
  return textsAt(securityObject(container, 'capabilities') ?? {}, field);
}

/** Returns the text about containers that add capabilities beyond those allowed; undefined when there are none. */
function forbiddenAdds(pod: PodTemplate, allowed: readonly string[]): string | undefined {
  const added = (container: JsonObject): string[] =>
    listed(container, 'add').filter((capability) => !allowed.includes(capability));
  const bad = namesOf(pod, (container) => added(container).length > 0);
  if (bad.length === 0) return undefined;
  const capabilities = distinct(containersOf(pod).flatMap(added));
  return `${containerList(bad)} must not include ${quoted(capabilities)} in securityContext.capabilities.add`;
}

/** Baseline: only the default capabilities of containers are allowed. */
export const capabilitiesBaseline: Check = {
  id: 'capabilities_baseline',
  level: 'baseline',
  versions: [
    {
      since: 0,
      check: (pod) => {
        const detail = forbiddenAdds(pod, defaultSet);
        return detail === undefined ? undefined : { reason: 'non-default capabilities', detail };
      },
    },
  ],
};

const checkRestricted: CheckPod = (pod) => {
  const keeping = namesOf(pod, (container) => !listed(container, 'drop').includes('ALL'));
  const details = [
    keeping.length === 0
      ? undefined
      : `${containerList(keeping)} must set securityContext.capabilities.drop=["ALL"]`,
    forbiddenAdds(pod, ['NET_BIND_SERVICE']),
  ].filter((detail) => detail !== undefined);
  return details.length === 0
    ? undefined
    : { reason: 'unrestricted capabilities', detail: details.join('; ') };
};

/** Restricted: all capabilities are dropped; only NET_BIND_SERVICE may be added. */
export const capabilitiesRestricted: Check = {
  id: 'capabilities_restricted',
  level: 'restricted',
  overrides: 'capabilities_baseline',
  versions: [
    { since: 22, check: checkRestricted },
    { since: 25, check: (pod) => (isWindows(pod) ? undefined : checkRestricted(pod)) },
  ],
};
