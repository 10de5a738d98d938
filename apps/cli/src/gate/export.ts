import { Gate, GateBinding, GateKeeper, type KubeObject } from '@interlock/api';
import { loadAll } from '../load.js';
import { loadGate } from './load.js';
import { yamlText } from '../output/print.js';
import type { Session } from '../session.js';

/**
 * Runs `export [NAME]`: prints gates with their keepers and bindings as manifests, without the fields that the cluster
 * added.
 */
export async function exportGates(session: Session, name: string | undefined): Promise<void> {
  const scope = { namespace: session.namespace };
  const gates = name === undefined ? await loadAll(session, Gate, scope) : [await loadGate(session, name)];
  const names = new Set(gates.map(({ metadata }) => metadata.name));
  const keepers = (await loadAll(session, GateKeeper, scope)).filter(({ spec }) => names.has(spec.gate));
  const bindings = (await loadAll(session, GateBinding, scope)).filter(({ spec }) =>
    spec.refs.some(
      (ref) => (ref.namespace ?? session.namespace) === session.namespace && names.has(ref.name),
    ),
  );
  for (const object of [...gates, ...keepers, ...bindings]) session.io.stdout(`---\n${manifestOf(object)}`);
}

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

function manifestOf({ apiVersion, kind, metadata, spec }: KubeObject & { spec: unknown }): string {
  const { name, namespace, labels, annotations = {} } = metadata;
  const { [lastApplied]: _, ...own } = annotations;
  const kept = { name, namespace, labels, ...(Object.keys(own).length > 0 && { annotations: own }) };
  return yamlText({ apiVersion, kind, metadata: kept, spec });
}
