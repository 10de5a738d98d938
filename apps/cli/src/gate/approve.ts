import { annotations, GateOverride } from '@interlock/api';
import { approversOf } from '@interlock/gating';
import { Failure } from '../exit.js';
import { loadOne } from '../load.js';
import type { Session } from '../session.js';

/** `approve OVERRIDE`: adds the user to those who approved an override. Admission records who that is. */
export async function approve(session: Session, name: string): Promise<GateOverride> {
  const { client, namespace, progress, signal } = session;
  const key = { namespace, name };
  const { spec } = await loadOne(session, GateOverride, key);
  progress.action(`approving GateOverride ${name} of Gate ${spec.gateRef.name}: ${spec.reason}`);
  const patch = { metadata: { annotations: { [annotations.approve]: 'true' } } };
  const approved = await client.patch(GateOverride, key, { type: 'merge', patch }, { signal });
  const approvers = approversOf(approved);
  if (approvers.length === 0)
    throw new Failure('nobody recorded the approval; is admission of the gate-controller enabled?');
  progress.success(`GateOverride ${name} approved by ${approvers.join(', ')}`);
  return approved;
}
