import type { GitOpsResponderConfig } from '@interlock/api';
import type { FieldProblem } from '@interlock/base';
import {
  compileRoutes,
  configProblems,
  preferredConfig,
  routesOf,
  type CompiledRoutes,
} from '@interlock/responding';

type Spec = GitOpsResponderConfig['spec'];

/** A configuration that responses are routed by. */
export interface ConfigInUse {
  name: string;
  uid: string;
  generation: number;
  spec: Spec;
  routing: CompiledRoutes;
}

export interface Choice {
  /** Name of the chosen configuration; absent if there is none. */
  chosen?: string;
  /** The problems of the chosen configuration. */
  problems: readonly FieldProblem[];
  /** The last valid state of the configuration; absent if it was never valid. */
  inUse?: ConfigInUse | undefined;
}

/**
 * Returns the chosen configuration: the one named `default`, or else the first by name. While it is not valid, its last
 * valid state is used. Pure.
 * @param before the configuration in use until now.
 */
export function chooseConfig(
  configs: readonly GitOpsResponderConfig[],
  before: ConfigInUse | undefined,
): Choice {
  const config = preferredConfig(configs);
  if (config === undefined) return { problems: [] };
  const { name, uid = '', generation = 0 } = config.metadata;
  const problems = configProblems(config.spec);
  if (problems.length === 0) {
    return { chosen: name, problems, inUse: inUse(name, uid, generation, config.spec) };
  }
  const last = before?.name === name && before.uid === uid ? before : kept(config);
  return { chosen: name, problems, inUse: last };
}

function inUse(name: string, uid: string, generation: number, spec: Spec): ConfigInUse {
  return { name, uid, generation, spec, routing: compileRoutes(routesOf(spec).routes) };
}

/** Returns the last valid spec in the status, for a process that never observed it. */
function kept({ metadata, status }: GitOpsResponderConfig): ConfigInUse | undefined {
  const { spec, generation = 0 } = status?.inUse ?? {};
  if (spec === undefined || configProblems(spec).length > 0) return undefined;
  return inUse(metadata.name, metadata.uid ?? '', generation, spec);
}
