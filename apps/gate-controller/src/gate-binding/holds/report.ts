import { timestampOf, type GateBinding, type GateHold, type KubeObject } from '@interlock/api';
import { prefixOf, Problem } from '@interlock/base';
import { isOCIRepositoryOfHelm, others, boundedRevision, type FluxObject } from '@interlock/gating';
import type { ActuatorReport, BindingVerdict } from '../actuator.js';
import { conflictOf } from './conflict.js';
import { isConfirmed } from './decide.js';
import { label } from './graph.js';
import { holdOf, isHeldBy, type Hold } from './hold.js';
import { lockoutOf } from './lockout.js';
import type { BoundObjects } from './near.js';
import { pendingOf } from './pending.js';
import { pinnedAt, pinOf } from './revisions.js';
import { skewOf, type RelatedObjects } from './skew.js';

const maxHolds = 256;

interface ReportInput {
  binding: GateBinding;
  verdict: BindingVerdict;
  /** The objects that the binding applies to, in a stable order. */
  targets: readonly FluxObject[];
  gated: BoundObjects;
  related: RelatedObjects;
  /** The binding, its gates and the objects that close them. */
  deciders: readonly KubeObject[];
  /** Returns why an object could not be held or released. */
  failureOf(object: FluxObject): Problem | undefined;
  /** Kinds that are not served, and kinds whose objects are not known yet. */
  absent: readonly string[];
  unread: readonly string[];
}

/** Returns what the status of a binding reports about its targets. `now` in milliseconds since the epoch. */
export function reportOf(input: ReportInput, now: number): ActuatorReport {
  const { binding, targets, absent, gated } = input;
  const held = targets.filter((object) => isHeld(object, input));
  const known = new Set(held);
  const failed = targets.filter((object) => !known.has(object) && input.failureOf(object) !== undefined);
  const problem = problemOf(input);
  const notice =
    absent.length === 0
      ? undefined
      : `the API server does not serve ${absent.join(', ')}; their objects are bound once it serves them`;
  return {
    holds: [...failed, ...held].slice(0, maxHolds).map((object) => entryOf(object, input, now)),
    targetCount: targets.length,
    heldCount: held.length,
    conditions: [
      conflictOf(targets),
      skewOf(targets, gated, input.related),
      lockoutOf(binding, input.deciders, gated.objects),
    ].filter((condition) => condition !== undefined),
    problem,
    notice,
  };
}

function isHeld(object: FluxObject, { binding, verdict }: ReportInput): boolean {
  if (binding.spec.mode === 'Observe') return verdictOn(object, verdict).state === 'Closed';
  return isHeldBy(object, binding);
}

function verdictOn({ kind, metadata }: FluxObject, verdict: BindingVerdict) {
  return verdict.of({ kind, name: metadata.name });
}

function problemOf({ targets, failureOf, unread }: ReportInput): Problem | undefined {
  const failed = targets.flatMap((object) => {
    const failure = failureOf(object);
    return failure === undefined ? [] : [{ object, failure }];
  });
  const [first] = failed;
  if (first !== undefined) {
    const rest = failed.length > 1 ? `, and ${failed.length - 1} more` : '';
    const { object, failure } = first;
    return new Problem(failure.reason, `${label(object)}${rest}: ${failure.message}`);
  }
  if (unread.length === 0) return undefined;
  const message = `the objects of ${unread.join(', ')} are not known yet; if this lasts, gate-controller must be granted the verbs get, list and watch on them`;
  return new Problem('NotReadable', message);
}

function entryOf(object: FluxObject, input: ReportInput, now: number): GateHold {
  const { binding, gated } = input;
  const { name, namespace } = object.metadata;
  const observes = binding.spec.mode === 'Observe';
  const hold = observes ? undefined : holdOf(object);
  /* Annotations and references to branches are as long as their authors want. */
  const revision = boundedRevision(hold?.revision ?? object.status.revision);
  const pending = boundedRevision(pendingOf(object, gated.objects));
  const message = messageOf(object, hold, input);
  return {
    kind: object.kind,
    name,
    ...(namespace !== undefined && namespace !== binding.metadata.namespace && { namespace }),
    since: hold?.since || sinceBefore(object, binding) || timestampOf(now),
    ...(revision !== undefined && { revision }),
    ...(pending !== undefined && { pending }),
    confirmed: hold !== undefined && hold.by.length > 0 && isEffective(object),
    ...(message !== undefined && { message: prefixOf(message, 1_024) }),
  };
}

/* In mode Observe, nothing is recorded in the object. */
function sinceBefore(
  { kind, metadata }: FluxObject,
  { metadata: own, status }: GateBinding,
): string | undefined {
  const { namespace = own.namespace } = metadata;
  return status?.holds?.find(
    (hold) =>
      hold.kind === kind && hold.name === metadata.name && (hold.namespace ?? own.namespace) === namespace,
  )?.since;
}

/**
 * Returns whether the controller of an object has observed the hold. A pinned source must also have the pinned
 * revision.
 */
function isEffective(object: FluxObject): boolean {
  const { kind, spec, status } = object;
  if (!isConfirmed(object)) return false;
  return spec.suspend === true || pinnedAt(object) === pinOf(kind, status.revision);
}

function messageOf(object: FluxObject, hold: Hold | undefined, input: ReportInput): string | undefined {
  const failure = input.failureOf(object);
  if (failure !== undefined) return failure.message;
  if (input.binding.spec.mode === 'Observe') return undefined;
  const messages = [
    hold?.against && opposition(hold),
    alsoSuspended(object),
    unusable(object, input),
    isOCIRepositoryOfHelm(object)
      ? 'nothing is fetched for a HelmRepository of type oci itself; its HelmCharts are held'
      : undefined,
  ].filter((message) => message !== undefined);
  return messages.length === 0 ? undefined : messages.join('; ');
}

function opposition({ against }: Hold): string | undefined {
  return (
    against &&
    `the manifest that ${against.manager} applies undoes the hold, last at ${against.at}; remove spec.suspend or the pin from the manifest`
  );
}

function alsoSuspended({ spec, owners }: FluxObject): string | undefined {
  const names = others(owners.suspend).map(({ manager }) => manager);
  return spec.suspend === true && names.length > 0
    ? `also suspended by ${names.join(', ')}, so it stays suspended when the gates open`
    : undefined;
}

/** Returns approvals of single revisions that cannot be applied. */
function unusable(object: FluxObject, { binding, verdict }: ReportInput): string | undefined {
  const { kind, metadata } = object;
  const approved = verdict.approvedRevisions({ kind, name: metadata.name });
  if (approved.length === 0) return undefined;
  if (binding.spec.mode === 'Suspend') {
    return `an override lets ${approved.join(', ')} through, which mode Suspend cannot do, because it holds all revisions or none; use mode Pin`;
  }
  const short = approved.filter((revision) => pinOf(kind, revision) === undefined);
  return short.length === 0
    ? undefined
    : `${short.join(', ')} of an override does not contain a full commit SHA or digest`;
}
