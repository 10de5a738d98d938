import { annotations, GateOverride } from '@interlock/api';
import { approversOf } from '@interlock/gating';
import { Failure } from '../exit.js';
import { loadOne } from '../load.js';
import type { Session } from '../session.js';

/** Runs `approve OVERRIDE`: adds the user to the approvers of an override. Admission records the user. */
export async function approve(session: Session, name: string): Promise<GateOverride> {
  const { client, namespace, progress, signal } = session;
  const key = { namespace, name };
  const { spec } = await loadOne(session, GateOverride, key);
  progress.action(`approving GateOverride ${name} of Gate ${spec.gateRef.name}: ${spec.reason}`);
  const patch = { metadata: { annotations: { [annotations.approve]: 'true' } } };
  const approved = await client.patch(GateOverride, key, { type: 'merge', patch }, { signal });
  const approvers = approversOf(approved);
  if (approvers.length === 0)
    throw new Failure(
      'the approval was not recorded; check that the admission webhooks of the gate-controller are enabled',
    );
  progress.success(`GateOverride ${name} approved by ${approvers.join(', ')}`);
  return approved;
}
