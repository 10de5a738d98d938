import {
  containersOf,
  distinct,
  plural,
  quoted,
  securityObject,
  settersOf,
  type Check,
  type CheckPod,
} from './check.js';
import { textAt } from '../../../object.js';
import type { JsonObject } from '../../../schema/types.js';

const types = ['', 'container_t', 'container_init_t', 'container_kvm_t'];

const check =
  (allowed: readonly string[]): CheckPod =>
  (pod) => {
    const isBad = (owner: JsonObject): boolean => {
      const options = securityObject(owner, 'seLinuxOptions') ?? {};
      const isSet = textAt(options, 'user') !== '' || textAt(options, 'role') !== '';
      return isSet || !allowed.includes(textAt(options, 'type'));
    };
    const setters = settersOf(pod, isBad);
    if (setters.length === 0) return undefined;
    const options = [pod.spec, ...containersOf(pod)].map(
      (owner) => securityObject(owner, 'seLinuxOptions') ?? {},
    );
    const bad = distinct(options.map((one) => textAt(one, 'type')).filter((type) => !allowed.includes(type)));
    const details = [
      ...(bad.length === 0 ? [] : [`${plural('type', bad.length)} ${quoted(bad)}`]),
      ...['user', 'role']
        .filter((field) => options.some((one) => textAt(one, field) !== ''))
        .map((field) => `${field} may not be set`),
    ];
    return {
      reason: 'seLinuxOptions',
      detail: `${setters.join(' and ')} set forbidden securityContext.seLinuxOptions: ${details.join('; ')}`,
    };
  };

/** Baseline: the SELinux type is one of the types for containers; user and role are not set. */
export const seLinuxOptions: Check = {
  id: 'seLinuxOptions',
  level: 'baseline',
  versions: [
    { since: 0, check: check(types) },
    { since: 31, check: check([...types, 'container_engine_t']) },
  ],
};
