import { conditions, GitOpsResponderConfig } from '@interlock/api';
import { preferredConfig, configProblems, problemText } from '@interlock/responding';
import type { Objects } from '../manifest/objects.js';
import type { ConfigView } from './explanation.js';

/** Returns the configuration that a responder uses; undefined if there is none. */
export async function findConfig(
  objects: Objects,
  namespace: string,
  name: string | undefined,
): Promise<GitOpsResponderConfig | undefined> {
  if (name !== undefined) return objects.one(GitOpsResponderConfig, { namespace, name });
  return preferredConfig(await objects.all(GitOpsResponderConfig, namespace));
}

/**
 * Returns the spec by which responses are routed: the spec of the configuration or, while that is invalid, the last valid spec
 * that the status contains.
 */
export function specInUse({ spec, status }: GitOpsResponderConfig): GitOpsResponderConfig['spec'] {
  const kept = status?.inUse?.spec;
  return kept !== undefined && configProblems(spec).length > 0 ? kept : spec;
}

/** Returns the view of a configuration. */
export function configView(config: GitOpsResponderConfig, namespace: string, isOffline: boolean): ConfigView {
  const { metadata, spec } = config;
  return {
    name: metadata.name,
    namespace: metadata.namespace ?? namespace,
    problems: configProblems(spec).map(problemText),
    isUnusable: configProblems(specInUse(config)).length > 0,
    ...(isOffline ? { message: 'it was read from a file' } : usage(config)),
  };
}

function usage(config: GitOpsResponderConfig): Pick<ConfigView, 'inUse' | 'message'> {
  const { metadata, spec, status } = config;
  const generation = metadata.generation ?? 0;
  const used = status?.inUse?.generation;
  const ready = status?.conditions?.find(({ type }) => type === conditions.ready);
  const because = ready?.message === undefined ? '' : `: ${ready.message}`;
  if (used === generation) {
    const but = ready?.status === 'True' ? '' : `; it is not ready${because}`;
    return { inUse: true, message: `generation ${generation} is in use${but}` };
  }
  if (status?.observedGeneration !== generation)
    return { message: `generation ${generation} has not been checked by a responder yet` };
  if (configProblems(spec).length === 0)
    return { inUse: false, message: `generation ${generation} is not in use${because}` };
  const instead =
    used === undefined ? 'nothing is routed' : `generation ${used} stays in use, and its routes are shown`;
  return { inUse: false, message: `generation ${generation} is invalid; ${instead}` };
}
