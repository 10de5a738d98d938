import type * as core from 'kubernetes-types/core/v1.js';

/** The Pod Security level of the namespace, as in `spec.securityProfile` of an ActionsGateway. */
export const securityProfiles = ['baseline', 'restricted', 'privileged'] as const;
export type SecurityProfile = (typeof securityProfiles)[number];

/** The user of the runner's image. */
const runnerUser = 1001;

/** Adds the settings that the profile requires and the template leaves open. A template that violates the profile is left to admission. */
export function withSecurityDefaults(spec: core.PodSpec, profile: SecurityProfile): core.PodSpec {
  if (profile === 'privileged') return spec;
  const podDefaults: core.PodSecurityContext = {
    runAsNonRoot: true,
    runAsUser: runnerUser,
    seccompProfile: { type: 'RuntimeDefault' },
  };
  const secured = { ...spec, securityContext: { ...podDefaults, ...spec.securityContext } };
  if (profile === 'baseline') return secured;
  return {
    ...secured,
    containers: secured.containers.map(restrict),
    ...(secured.initContainers && { initContainers: secured.initContainers.map(restrict) }),
  };
}

function restrict(container: core.Container): core.Container {
  const defaults: core.SecurityContext = {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
  };
  return { ...container, securityContext: { ...defaults, ...container.securityContext } };
}
