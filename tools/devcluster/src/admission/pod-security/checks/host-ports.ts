import { containerList, containersOf, distinct, namesOf, plural, uses, type Check } from './check.js';
import { objectsAt, valueAt } from '../../../object.js';
import type { JsonObject } from '../../../schema/types.js';

function hostPortsOf(container: JsonObject): string[] {
  return objectsAt(container, 'ports').flatMap((port) => {
    const hostPort = valueAt(port, 'hostPort');
    return typeof hostPort === 'number' && hostPort !== 0 ? [String(hostPort)] : [];
  });
}

/** Baseline: containers must not use ports of the node. */
export const hostPorts: Check = {
  id: 'hostPorts',
  level: 'baseline',
  versions: [
    {
      since: 0,
      check: (pod) => {
        const bad = namesOf(pod, (container) => hostPortsOf(container).length > 0);
        if (bad.length === 0) return undefined;
        const ports = distinct(containersOf(pod).flatMap(hostPortsOf));
        const what = `${plural('hostPort', ports.length)} ${ports.join(', ')}`;
        return { reason: 'hostPort', detail: `${containerList(bad)} ${uses(bad.length)} ${what}` };
      },
    },
  ],
};
