import {
  containerList,
  containersOf,
  distinct,
  isWindows,
  namesOf,
  plural,
  quoted,
  securityObject,
  settersOf,
  type Check,
  type CheckPod,
} from './check.js';
import { textAt } from '../../../object.js';
import { goQuote } from '../../../schema/json.js';
import type { JsonObject } from '../../../schema/types.js';

const podAnnotation = 'seccomp.security.alpha.kubernetes.io/pod';
const containerAnnotation = 'container.seccomp.security.alpha.kubernetes.io/';
const allowedTypes = ['Localhost', 'RuntimeDefault'];
const reason = 'seccompProfile';

function isAllowedAnnotation(profile: string): boolean {
  return ['runtime/default', 'docker/default'].includes(profile) || profile.startsWith('localhost/');
}

const checkAnnotations: CheckPod = (pod) => {
  const keys = [podAnnotation, ...namesOf(pod, () => true).map((name) => containerAnnotation + name)];
  const bad = distinct(
    keys.flatMap((key) => {
      const profile = pod.annotations[key];
      return profile === undefined || isAllowedAnnotation(profile) ? [] : [`${key}=${goQuote(profile)}`];
    }),
  );
  if (bad.length === 0) return undefined;
  return { reason, detail: `forbidden ${plural('annotation', bad.length)} ${bad.join(', ')}` };
};

function forbiddenType(owner: JsonObject): string | undefined {
  const profile = securityObject(owner, 'seccompProfile');
  if (profile === undefined) return undefined;
  const type = textAt(profile, 'type');
  return allowedTypes.includes(type) ? undefined : type;
}

const checkTypes: CheckPod = (pod) => {
  const setters = settersOf(pod, (owner) => forbiddenType(owner) !== undefined);
  if (setters.length === 0) return undefined;
  const types = distinct([pod.spec, ...containersOf(pod)].flatMap((owner) => forbiddenType(owner) ?? []));
  const what = `securityContext.seccompProfile.type to ${quoted(types)}`;
  return { reason, detail: `${setters.join(' and ')} must not set ${what}` };
};

const checkRestricted: CheckPod = (pod) => {
  const forbidden = checkTypes(pod);
  if (forbidden !== undefined || securityObject(pod.spec, 'seccompProfile') !== undefined) return forbidden;
  const unset = namesOf(pod, (container) => securityObject(container, 'seccompProfile') === undefined);
  if (unset.length === 0) return undefined;
  const what = 'securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"';
  return { reason, detail: `pod or ${containerList(unset)} must set ${what}` };
};

/** Baseline: the seccomp profile must not be Unconfined. */
export const seccompBaseline: Check = {
  id: 'seccompProfile_baseline',
  level: 'baseline',
  versions: [
    { since: 0, check: checkAnnotations },
    { since: 19, check: checkTypes },
  ],
};

/** Restricted: system calls are filtered by the profile of the runtime or one of the node. */
export const seccompRestricted: Check = {
  id: 'seccompProfile_restricted',
  level: 'restricted',
  overrides: 'seccompProfile_baseline',
  versions: [
    { since: 19, check: checkRestricted },
    { since: 25, check: (pod) => (isWindows(pod) ? undefined : checkRestricted(pod)) },
  ],
};
