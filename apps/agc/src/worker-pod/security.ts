import type * as core from 'kubernetes-types/core/v1.js';

/** The Pod Security level of the namespace, as in `spec.securityProfile` of an ActionsGateway. */
export const securityProfiles = ['baseline', 'restricted', 'privileged'] as const;
export type SecurityProfile = (typeof securityProfiles)[number];

/** The user of the runner's image. */
const runnerUser = 1001;

/** Adds the settings that the profile requires and the template leaves open. A template that violates the profile is left to admission. */
export function withSecurityDefaults(spec: core.PodSpec, profile: SecurityProfile): core.PodSpec {
  if (profile === 'privileged') return spec;
  const { securityContext: own, containers, initContainers } = spec;
  const podDefaults: core.PodSecurityContext = {
    ...(!(profile === 'baseline' && isRoot(own)) && { runAsNonRoot: true }),
    runAsUser: runnerUser,
    seccompProfile: { type: 'RuntimeDefault' },
  };
  const securityContext = { ...podDefaults, ...own };
  const isForbidden = own?.runAsNonRoot === true;
  const complete = profile === 'restricted' ? restrict : isForbidden ? unchanged : allowRoot;
  return {
    ...spec,
    securityContext,
    containers: containers.map(complete),
    ...(initContainers && { initContainers: initContainers.map(complete) }),
  };
}

function unchanged(container: core.Container): core.Container {
  return container;
}

/**
 * Lets a container start that its template runs as root, which the profile `baseline` allows: the kubelet would compare its user
 * with the default of the pod.
 */
function allowRoot(container: core.Container): core.Container {
  const { securityContext: own } = container;
  return isRoot(own) ? { ...container, securityContext: { runAsNonRoot: false, ...own } } : container;
}

function isRoot(context: Pick<core.SecurityContext, 'runAsUser'> | undefined): boolean {
  return context?.runAsUser === 0;
}

function restrict(container: core.Container): core.Container {
  const defaults: core.SecurityContext = {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
  };
  return { ...container, securityContext: { ...defaults, ...container.securityContext } };
}
