import { apiVersionOf, Gate, GateKeeper } from '@interlock/api';
import { stringify } from 'yaml';

/** Returns objects as one text of YAML documents. */
export function manifests(...objects: object[]): string {
  return objects.map((object) => stringify(object)).join('---\n');
}

export function gate(name: string, spec: object = {}): object {
  return { apiVersion: apiVersionOf(Gate), kind: Gate.kind, metadata: { name }, spec };
}

/** Returns a keeper of a gate with this schedule. */
export function scheduleKeeper(of: string, schedule: object, name = `${of}-keeper`): object {
  return {
    apiVersion: apiVersionOf(GateKeeper),
    kind: GateKeeper.kind,
    metadata: { name },
    spec: { gate: of, type: 'schedule', schedule },
  };
}
