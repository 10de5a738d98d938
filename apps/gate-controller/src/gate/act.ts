import { fieldManagers, Gate, gatingGroup, type GateStatus } from '@interlock/api';
import { semanticEqual, type Client, type EventRecorder, type Logger } from '@interlock/kube';
import type { GateMetrics } from '../metrics.js';
import { kindOfCause, type GateAction, type Transition } from './model.js';

export interface GateActor {
  client: Client;
  events: Pick<EventRecorder, 'record'>;
  log: Logger;
  metrics: GateMetrics;
}

/**
 * The status is the record of a transition: it is written first, and only on top of the version that was decided upon, so
 * that none is lost or written twice. Event, log and metric tell of what is on record.
 * @throws ApiError `Conflict` when the gate has changed meanwhile.
 */
export async function actOnGate(
  actor: GateActor,
  gate: Gate,
  { status, transition }: GateAction,
): Promise<void> {
  await writeStatus(actor.client, gate, status);
  const { name, namespace = '' } = gate.metadata;
  actor.metrics.gate({ namespace, name }, status.state === 'Open');
  if (transition === undefined) return;
  actor.metrics.transition(kindOfCause(transition.record.cause));
  tell(actor, gate, transition);
}

async function writeStatus(client: Client, gate: Gate, status: GateStatus): Promise<void> {
  if (semanticEqual(gate.status, status)) return;
  const { name, namespace, uid, resourceVersion } = gate.metadata;
  const metadata = {
    name,
    ...(namespace !== undefined && { namespace }),
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
  await client.apply(
    Gate,
    { metadata, status },
    { fieldManager: fieldManagers.gateController, subresource: 'status' },
  );
}

function tell({ events, log }: GateActor, gate: Gate, { record, text }: Transition): void {
  const opens = record.to === 'Open';
  const { name, namespace = '' } = gate.metadata;
  const by = record.actor === undefined ? '' : ` by ${record.actor}`;
  events.record(gate, {
    type: 'Normal',
    reason: opens ? 'GateOpened' : 'GateClosed',
    action: opens ? 'Open' : 'Close',
    note: `${opens ? 'opened' : 'closed'}${by} (${record.cause}): ${text}`,
  });
  const { at: _at, to: _to, from, ...said } = record;
  log.info(
    {
      closed: !opens,
      controller: 'gatecontroller',
      controllerGroup: gatingGroup,
      controllerKind: Gate.kind,
      Gate: { namespace, name },
      namespace,
      name,
      ...(from !== undefined && { from }),
      ...said,
    },
    `${opens ? 'opening' : 'closing'} gate: '${text}'`,
  );
}
