import { conditions, GitOpsResponderConfig } from '@interlock/api';
import { chooseConfig, configProblems, problemText } from '@interlock/responding';
import type { Objects } from '../manifest/objects.js';
import type { ConfigView } from './explanation.js';

/** @returns the configuration that a responder uses; undefined when there is none. */
export async function findConfig(
  objects: Objects,
  namespace: string,
  name: string | undefined,
): Promise<GitOpsResponderConfig | undefined> {
  if (name !== undefined) return objects.one(GitOpsResponderConfig, { namespace, name });
  return chooseConfig(await objects.all(GitOpsResponderConfig, namespace));
}

/** @returns what is to be said of a configuration. */
export function configView(
  { metadata, spec, status }: GitOpsResponderConfig,
  namespace: string,
  isOffline: boolean,
): ConfigView {
  const view = {
    name: metadata.name,
    namespace: metadata.namespace ?? namespace,
    problems: configProblems(spec).map(problemText),
  };
  if (isOffline) return { ...view, message: 'it is read from a file' };
  const generation = metadata.generation ?? 0;
  const used = status?.inUse?.generation;
  const ready = status?.conditions?.find(({ type }) => type === conditions.ready);
  const because = ready?.message === undefined ? '' : `: ${ready.message}`;
  if (used === generation) {
    const but = ready?.status === 'True' ? '' : `; it is not ready${because}`;
    return { ...view, inUse: true, message: `generation ${generation} is in use${but}` };
  }
  if (status?.observedGeneration !== generation && ready?.observedGeneration !== generation)
    return { ...view, message: `no responder has looked at generation ${generation} yet` };
  const instead =
    used === undefined
      ? 'no generation is in use'
      : `generation ${used} stays in use, whose routes are not shown here`;
  return { ...view, inUse: false, message: `generation ${generation} is refused${because}; ${instead}` };
}
