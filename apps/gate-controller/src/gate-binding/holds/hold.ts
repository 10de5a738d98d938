import { annotations, keyOf, timestampOf, type GateBinding } from '@interlock/api';
import { type FluxObject, isOurs } from '@interlock/gating';
import * as z from 'zod';

const rfc3339 = z.iso.datetime();
/** Maximum number of names that are read from the annotations of an object: users may write a list of any length. */
const maxNames = 1_000;

/** The hold that the annotations of an object describe. */
export interface Hold {
  /** The names of the bindings that hold it, at most 1,000; see {@link claimName}. */
  by: readonly string[];
  /** RFC 3339. */
  since: string;
  /** The revision at which it is held; absent if it had none. */
  revision?: string | undefined;
  reason: string;
  /** The manifest that conflicts with the hold. */
  against?: Opposition | undefined;
}

/** A manifest that sets other values, and therefore undoes the hold whenever it is applied. */
interface Opposition {
  /** Field manager. */
  manager: string;
  /** When the conflict was last observed, RFC 3339. */
  at: string;
}

/**
 * Returns the name of a binding in the annotations of a held object: its name, with the namespace if it differs from the
 * namespace of the object.
 */
export function claimName(
  binding: { namespace?: string | undefined; name: string },
  object: FluxObject,
): string {
  return binding.namespace === object.metadata.namespace || binding.namespace === undefined
    ? binding.name
    : `${binding.namespace}/${binding.name}`;
}

/** Returns the hold that this controller has on an object; undefined if there is none. */
export function holdOf({ metadata, owners }: FluxObject): Hold | undefined {
  const notes = metadata.annotations ?? {};
  const by = notes[annotations.heldBy];
  if (by === undefined && !isOurs(owners.suspend) && !isOurs(owners.pin)) return undefined;
  const revision = notes[annotations.heldRevision];
  const [manager, at] = (notes[annotations.heldAgainst] ?? '').split(' ');
  return {
    by: (by ?? '').split(',', maxNames).filter((name) => name !== ''),
    since: timeOf(notes[annotations.heldSince]),
    reason: notes[annotations.holdReason] ?? '',
    revision,
    against: manager !== undefined && at !== undefined ? { manager, at } : undefined,
  };
}

/** Returns a time as the API has it; empty if it is not a time, because users may write it. */
function timeOf(text: string | undefined): string {
  return rfc3339.safeParse(text).success ? timestampOf(Date.parse(text ?? '')) : '';
}

/**
 * Returns whether an object is held for a binding, according to its annotations. Users may write a list of thousands of names, and each
 * reconcile of a binding asks this for all objects with such a list: so it is searched without reading each name.
 */
export function isHeldBy(object: FluxObject, binding: GateBinding): boolean {
  const by = object.metadata.annotations?.[annotations.heldBy];
  if (by === undefined) return false;
  const name = claimName(keyOf(binding), object);
  return by === name || by.startsWith(`${name},`) || by.endsWith(`,${name}`) || by.includes(`,${name},`);
}

/** Returns the annotations that describe the hold. */
export function holdAnnotations({ by, since, revision, reason, against }: Hold): Record<string, string> {
  return {
    [annotations.heldBy]: by.join(','),
    [annotations.heldSince]: since,
    ...(revision !== undefined && { [annotations.heldRevision]: revision }),
    [annotations.holdReason]: reason,
    ...(against && { [annotations.heldAgainst]: `${against.manager} ${against.at}` }),
  };
}
