import { containerList, isWindows, namesOf, securityOption, type Check, type CheckPod } from './check.js';

const check: CheckPod = (pod) => {
  const bad = namesOf(pod, (container) => securityOption(container, 'allowPrivilegeEscalation') !== false);
  if (bad.length === 0) return undefined;
  return {
    reason: 'allowPrivilegeEscalation != false',
    detail: `${containerList(bad)} must set securityContext.allowPrivilegeEscalation=false`,
  };
};

/** Restricted: a process must not gain more privileges than its parent. */
export const allowPrivilegeEscalation: Check = {
  id: 'allowPrivilegeEscalation',
  level: 'restricted',
  versions: [
    { since: 8, check },
    { since: 25, check: (pod) => (isWindows(pod) ? undefined : check(pod)) },
  ],
};
