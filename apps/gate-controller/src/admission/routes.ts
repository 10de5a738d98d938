import { annotations, Gate, GateBinding, GateKeeper, GateOverride } from '@interlock/api';
import type { Clock, Logger } from '@interlock/base';
import { problemsOf, warningsOf } from '@interlock/gating';
import { type Client } from '@interlock/kube';
import {
  judgeChange,
  mutating,
  validating,
  verdictOn,
  type AdmissionRequest,
  type AdmissionRoute,
  type Allowed,
  type Denied,
} from '@interlock/service';
import {
  bindingsOf,
  gateOfKeeper,
  gateOfOverride,
  gateOfRef,
  liveOverridesOf,
  type GateCaches,
} from '../caches.js';
import { auditDeletion, auditDeletionOf } from './audit.js';
import { refusalToUse, verbOf, verbOfChange, verbOfDeletion, type GateVerb } from './authorize.js';
import { problemsOfBinding, warningsOfBinding } from './gate-binding.js';
import { problemsOfNewOverride, warningsOfNewOverride } from './gate-override.js';
import { gateLookup, type GateLookup } from './lookup.js';
import { problemsOfReading } from './read-access.js';
import { authorPatch, newApprover, stampPatch, stampProblems } from './stamp.js';

interface AdmissionParts {
  caches: GateCaches;
  client: Pick<Client, 'get' | 'raw' | 'resolveKind'>;
  clock: Pick<Clock, 'now'>;
  log: Logger;
  /** Whether a user who creates an override needs the verb `open` or `close` on its gate. */
  authorizesOverrides: boolean;
}

const allowed: Allowed = { allowed: true };

/** Returns the webhook routes for the kinds of gating. */
export function admissionRoutes(parts: AdmissionParts): AdmissionRoute[] {
  const { caches, client, log } = parts;
  const findGate = gateLookup(caches, client);
  return [
    ...stampRoutes(parts),
    validating(GateOverride, (request) => checkOverride(parts, findGate, request)),
    validating(Gate, (request) => {
      if (request.object !== undefined)
        return judgeChange(request, (gate) => verdictOn(gate, problemsOf(gate)));
      auditDeletionOf(log, request);
      return { allowed: true, warnings: warningsOfGoneGate(caches, request) };
    }),
    validating(GateKeeper, (request) => {
      if (request.object === undefined) auditDeletionOf(log, request);
      return judgeChange(request, async (keeper) => {
        const gate = await findGate(gateOfKeeper(keeper), request.signal);
        const missing = gate === undefined ? [`Gate ${keeper.spec.gate} does not exist`] : [];
        const reading = await problemsOfReading(client, keeper, request.user, request.signal);
        return verdictOn(keeper, [...problemsOf(keeper), ...reading], [...missing, ...warningsOf(keeper)]);
      });
    }),
    validating(GateBinding, (request) =>
      judgeChange(request, async (binding) => {
        const keys = binding.spec.refs.map((ref) => gateOfRef(binding, ref));
        const gates = await Promise.all(keys.map((key) => findGate(key, request.signal)));
        const observed = { binding, gates };
        return verdictOn(binding, problemsOfBinding(observed), warningsOfBinding(observed));
      }),
    ),
  ];
}

function stampRoutes({ clock }: AdmissionParts): AdmissionRoute[] {
  return [
    mutating(GateOverride, (request) => ({ allowed: true, patch: stampPatch(request, clock.now()) })),
    mutating(Gate, (request) => ({ allowed: true, patch: authorPatch(request) })),
    mutating(GateKeeper, (request) => ({ allowed: true, patch: authorPatch(request) })),
  ];
}

async function checkOverride(
  { caches, client, clock, log, authorizesOverrides }: AdmissionParts,
  findGate: GateLookup,
  request: AdmissionRequest<GateOverride>,
): Promise<Allowed | Denied> {
  const { object, oldObject, user, signal } = request;
  const refusalTo = async (verb: GateVerb | undefined, override: GateOverride) =>
    authorizesOverrides && verb !== undefined
      ? refusalToUse(client, user, verb, gateOfOverride(override), signal)
      : undefined;
  const now = clock.now();
  if (object === undefined) {
    const refused = oldObject && (await refusalTo(verbOfDeletion(oldObject, user), oldObject));
    if (refused !== undefined) return refused;
    auditDeletion(log, request);
    return allowed;
  }
  const stamps = stampProblems(request, now);
  if (oldObject !== undefined) {
    const approver = newApprover(request);
    if (approver !== undefined && approver === oldObject.metadata.annotations?.[annotations.actor])
      return {
        allowed: false,
        message: 'the author of an override cannot approve it; ask another user to approve it',
      };
    const refused =
      (await refusalTo(verbOfChange(oldObject, object, user), object)) ??
      (await refusalTo(approver === undefined ? undefined : 'approve', object));
    return refused ?? verdictOn(object, stamps);
  }
  const refused = await refusalTo(verbOf(object), object);
  if (refused !== undefined) return refused;
  const gateKey = gateOfOverride(object);
  const gate = await findGate(gateKey, signal);
  const observed = { override: object, gate, others: liveOverridesOf(caches, gateKey) };
  const problems = [...stamps, ...problemsOfNewOverride(observed, now)];
  return verdictOn(object, problems, warningsOfNewOverride(observed, now));
}

function warningsOfGoneGate(caches: GateCaches, { name, namespace }: AdmissionRequest<Gate>): string[] {
  if (name === '' || namespace === undefined) return [];
  const { length } = bindingsOf(caches, { name, namespace });
  if (length === 0) return [];
  const who = length === 1 ? 'a GateBinding refers' : `${length} GateBindings refer`;
  return [`${who} to Gate ${name}: the bound objects are held as long as the gate does not exist`];
}
