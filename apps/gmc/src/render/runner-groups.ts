import { RunnerGroup, type ActionsGateway } from '@interlock/api';
import { runnerGroupName } from './names.js';
import { labelsOf, objectOf, type Rendered } from './objects.js';
import type { Installation } from './context.js';

/** Returns the RunnerGroups that a gateway names. */
export function runnerGroupObjects(gateway: ActionsGateway, installation: Installation): Rendered[] {
  const labels = labelsOf(gateway, 'agc', installation);
  return (gateway.spec.runnerGroups ?? []).map((spec) =>
    objectOf(gateway, RunnerGroup, runnerGroupName(gateway.metadata.name, spec.name), labels, { spec }),
  );
}
