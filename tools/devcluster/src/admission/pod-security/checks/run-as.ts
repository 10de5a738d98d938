import {
  containerList,
  hasUserNamespace,
  namesOf,
  securityOption,
  settersOf,
  type Check,
  type CheckPod,
} from './check.js';

const checkNonRoot: CheckPod = (pod) => {
  const reason = 'runAsNonRoot != true';
  const setters = settersOf(pod, (owner) => securityOption(owner, 'runAsNonRoot') === false);
  if (setters.length > 0) {
    return { reason, detail: `${setters.join(' and ')} must not set securityContext.runAsNonRoot=false` };
  }
  if (securityOption(pod.spec, 'runAsNonRoot') === true) return undefined;
  const unset = namesOf(pod, (container) => securityOption(container, 'runAsNonRoot') === undefined);
  if (unset.length === 0) return undefined;
  return { reason, detail: `pod or ${containerList(unset)} must set securityContext.runAsNonRoot=true` };
};

const checkUser: CheckPod = (pod) => {
  const setters = settersOf(pod, (owner) => securityOption(owner, 'runAsUser') === 0);
  if (setters.length === 0) return undefined;
  return { reason: 'runAsUser=0', detail: `${setters.join(' and ')} must not set runAsUser=0` };
};

const outsideUserNamespace =
  (check: CheckPod): CheckPod =>
  (pod) =>
    hasUserNamespace(pod) ? undefined : check(pod);

/** Restricted: containers must refuse to run as root. */
export const runAsNonRoot: Check = {
  id: 'runAsNonRoot',
  level: 'restricted',
  versions: [
    { since: 0, check: checkNonRoot },
    { since: 35, check: outsideUserNamespace(checkNonRoot) },
  ],
};

/** Restricted: the user ID must not be 0 (root). */
export const runAsUser: Check = {
  id: 'runAsUser',
  level: 'restricted',
  versions: [
    { since: 23, check: checkUser },
    { since: 35, check: outsideUserNamespace(checkUser) },
  ],
};
