import { containersOf, distinct, plural, quoted, securityObject, settersOf, type Check } from './check.js';
import { textAt } from '../../../object.js';
import { goQuote } from '../../../schema/json.js';
import type { JsonObject } from '../../../schema/types.js';

const annotationPrefix = 'container.apparmor.security.beta.kubernetes.io/';
const allowedTypes = ['RuntimeDefault', 'Localhost'];

function forbiddenType(owner: JsonObject): string | undefined {
  const profile = securityObject(owner, 'appArmorProfile');
  if (profile === undefined) return undefined;
  const type = textAt(profile, 'type');
  return allowedTypes.includes(type) ? undefined : type;
}

function isAllowedAnnotation(profile: string): boolean {
  return profile === '' || profile === 'runtime/default' || profile.startsWith('localhost/');
}

/** Baseline: the AppArmor profile of the runtime must not be disabled. */
export const appArmorProfile: Check = {
  id: 'appArmorProfile',
  level: 'baseline',
  versions: [
    {
      since: 0,
      check: (pod) => {
        const annotations = Object.entries(pod.annotations)
          .filter(([key, value]) => key.startsWith(annotationPrefix) && !isAllowedAnnotation(value))
          .map(([key, value]) => `${key}=${goQuote(value)}`)
          .sort();
        const types = distinct(
          [pod.spec, ...containersOf(pod)].flatMap((owner) => forbiddenType(owner) ?? []),
        );
        const values = [...types, ...annotations];
        if (values.length === 0) return undefined;
        const setters = settersOf(pod, (owner) => forbiddenType(owner) !== undefined);
        if (annotations.length > 0) setters.push(plural('annotation', annotations.length));
        return {
          reason: plural('forbidden AppArmor profile', values.length),
          detail: `${setters.join(' and ')} must not set AppArmor profile type to ${quoted(values)}`,
        };
      },
    },
  ],
};
