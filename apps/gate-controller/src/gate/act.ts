import { fieldManagers, Gate, type GateStatus } from '@interlock/api';
import { semanticEqual, type Client } from '@interlock/kube';

/**
 * Writes the status of a gate, which is the record of its transitions: only on top of the version that was decided upon,
 * so that none is lost or written twice.
 * @returns the gate as it is on record.
 * @throws ApiError `Conflict` when the gate has changed meanwhile.
 */
export async function writeGateStatus(client: Client, gate: Gate, status: GateStatus): Promise<Gate> {
  if (semanticEqual(gate.status, status)) return gate;
  const { name, namespace, uid, resourceVersion } = gate.metadata;
  const metadata = {
    name,
    ...(namespace !== undefined && { namespace }),
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
  return client.apply(
    Gate,
    { metadata, status },
    { fieldManager: fieldManagers.gateController, subresource: 'status' },
  );
}
