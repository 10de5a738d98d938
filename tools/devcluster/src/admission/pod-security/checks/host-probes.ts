import { containerList, containersOf, distinct, namesOf, plural, quoted, uses, type Check } from './check.js';
import { textAt } from '../../../object.js';
import type { JsonObject } from '../../../schema/types.js';

const handlers = [
  ['livenessProbe'],
  ['readinessProbe'],
  ['startupProbe'],
  ['lifecycle', 'postStart'],
  ['lifecycle', 'preStop'],
];

function hostsOf(container: JsonObject): string[] {
  return handlers
    .flatMap((path) => [
      textAt(container, ...path, 'httpGet', 'host'),
      textAt(container, ...path, 'tcpSocket', 'host'),
    ])
    .filter((host) => host !== '');
}

/**
 * Baseline: probes and lifecycle handlers can connect only to the pod, so that the kubelet gives no access to other
 * networks.
 */
export const hostProbes: Check = {
  id: 'hostProbesAndHostLifecycle',
  level: 'baseline',
  versions: [
    {
      since: 34,
      check: (pod) => {
        const bad = distinct(namesOf(pod, (container) => hostsOf(container).length > 0));
        if (bad.length === 0) return undefined;
        const hosts = distinct(containersOf(pod).flatMap(hostsOf));
        const what = `${plural('probe or lifecycle host', hosts.length)} ${quoted(hosts)}`;
        return {
          reason: 'probe or lifecycle host',
          detail: `${containerList(bad)} ${uses(bad.length)} ${what}`,
        };
      },
    },
  ],
};
