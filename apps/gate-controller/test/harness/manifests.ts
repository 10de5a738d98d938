import { apiVersionOf, Gate, GateKeeper } from '@interlock/api';
import { stringify } from 'yaml';

/** Returns objects as one text of YAML documents. */
export function manifests(...objects: object[]): string {
  return objects.map((object) => stringify(object)).join('---\n');
}

export function gate(name: string, spec: object = {}): object {
  return { apiVersion: apiVersionOf(Gate), kind: Gate.kind, metadata: { name }, spec };
}

/** Returns a keeper that closes a gate in these windows. */
export function scheduleKeeper(of: string, closed: readonly object[]): object {
  return {
    apiVersion: apiVersionOf(GateKeeper),
    kind: GateKeeper.kind,
    metadata: { name: `${of}-keeper` },
    spec: { gate: of, type: 'schedule', schedule: { closed } },
  };
}
