import { availableParallelism, totalmem } from 'node:os';
import { Quantity } from '@interlock/api/quantities';
import { objectAt, objectsAt, textAt, valueAt, type KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { StartProblem } from '../container-runtime.js';

/** The addresses that fields of a pod can refer to before they are in its status. */
export interface PodAddresses {
  podIp: string;
  hostIp: string;
}

/** Returns the value of a `fieldRef`. Throws StartProblem `CreateContainerConfigError`. */
export function fieldValue(pod: KubeObject, fieldPath: string, { podIp, hostIp }: PodAddresses): string {
  const { metadata } = pod;
  const keyed = /^metadata\.(labels|annotations)\['([^']*)'\]$/.exec(fieldPath);
  if (keyed !== null) return textAt(metadata, keyed[1] ?? '', keyed[2] ?? '');
  switch (fieldPath) {
    case 'metadata.name':
    case 'metadata.namespace':
    case 'metadata.uid':
      return textAt(metadata, fieldPath.slice('metadata.'.length));
    case 'metadata.labels':
    case 'metadata.annotations':
      return formatMap(objectAt(metadata, fieldPath.slice('metadata.'.length)));
    case 'spec.nodeName':
    case 'spec.serviceAccountName':
      return textAt(pod, ...fieldPath.split('.'));
    case 'status.hostIP':
    case 'status.hostIPs':
      return hostIp;
    case 'status.podIP':
    case 'status.podIPs':
      return podIp;
    default:
      throw new StartProblem('CreateContainerConfigError', `unsupported fieldPath: ${fieldPath}`);
  }
}

/** Returns labels or annotations as the downward API writes them: one `key="value"` per line, sorted. */
function formatMap(map: JsonObject): string {
  const lines = Object.entries(map).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return lines.sort().join('\n');
}

/**
 * Returns the value of a `resourceFieldRef`, rounded up to whole units of its divisor; if there is no limit, the
 * capacity of the machine. Throws StartProblem `CreateContainerConfigError`.
 */
export function resourceValue(pod: KubeObject, ref: JsonObject, own: JsonObject): string {
  const name = textAt(ref, 'containerName');
  const all = [...objectsAt(pod, 'spec', 'containers'), ...objectsAt(pod, 'spec', 'initContainers')];
  const container = name === '' ? own : all.find((one) => one['name'] === name);
  if (container === undefined)
    throw new StartProblem('CreateContainerConfigError', `container ${name} not found`);
  const [list = '', resource = ''] = textAt(ref, 'resource').split(/\.(.*)/s);
  const amount =
    valueAt(container, 'resources', list, resource) ?? (list === 'limits' ? machineLimit(resource) : '0');
  const divisor = Quantity.parse(String(ref['divisor'] ?? '1'))?.nanos ?? 0n;
  const nanos = Quantity.parse(String(amount))?.nanos ?? 0n;
  const unit = divisor <= 0n ? 1_000_000_000n : divisor;
  return String((nanos + unit - 1n) / unit);
}

function machineLimit(resource: string): string {
  if (resource === 'cpu') return String(availableParallelism());
  return resource === 'memory' ? String(totalmem()) : '0';
}
