import { describe, expect, it } from '@jest/globals';
import type * as core from 'kubernetes-types/core/v1.js';
import { withSecurityDefaults, type SecurityProfile } from './security.js';

const seccompProfile = { type: 'RuntimeDefault' };
const root = { securityContext: { runAsUser: 0 } };

/** Returns whether the kubelet refuses to run each container as root. */
function nonRootOf({ initContainers = [], containers, securityContext }: core.PodSpec): unknown[] {
  return [...initContainers, ...containers].map(
    (container) => container.securityContext?.runAsNonRoot ?? securityContext?.runAsNonRoot,
  );
}

describe('withSecurityDefaults', () => {
  it.each<[profile: SecurityProfile, expected: boolean[]]>([
    ['baseline', [false, false, true]],
    /* Admission refuses such a pod, and names the containers. */
    ['restricted', [true, true, true]],
  ])('decides under the profile %s which containers may run as root: %j', (profile, expected) => {
    const cache = { name: 'cache', securityContext: { runAsUser: 999 } };
    const spec = {
      initContainers: [{ name: 'chown', ...root }],
      containers: [{ name: 'runner', ...root }, cache],
    };
    expect(nonRootOf(withSecurityDefaults(spec, profile))).toEqual(expected);
  });

  it('lets a pod run as root under the profile baseline if its template sets this user', () => {
    const spec = { containers: [{ name: 'runner' }], ...root };
    expect(withSecurityDefaults(spec, 'baseline').securityContext).toEqual({ runAsUser: 0, seccompProfile });
    expect(withSecurityDefaults(spec, 'restricted').securityContext).toMatchObject({ runAsNonRoot: true });
  });

  it('does not change that a template forbids root', () => {
    const spec = {
      securityContext: { runAsNonRoot: true, runAsUser: 0 },
      containers: [{ name: 'runner', ...root }],
    };
    expect(nonRootOf(withSecurityDefaults(spec, 'baseline'))).toEqual([true]);
  });
});
