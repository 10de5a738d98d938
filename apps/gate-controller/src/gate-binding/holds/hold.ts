import { annotations } from '@interlock/api';
import { type FluxObject, isOurs } from '@interlock/gating';

/** What the annotations of an object say of its hold. */
export interface Hold {
  /** Who holds it, see {@link claimName}. */
  by: readonly string[];
  /** RFC 3339. */
  since: string;
  /** At which revision; absent: it had none. */
  revision?: string;
  reason: string;
  /** The manifest that is against it. */
  against?: Opposition;
}

/** A manifest that says otherwise, and so undoes the hold whenever it is applied. */
export interface Opposition {
  /** Field manager. */
  manager: string;
  /** When it was seen last, RFC 3339. */
  at: string;
}

/** Returns how a binding appears among who holds an object: by its name, with the namespace where it is another. */
export function claimName(binding: { namespace?: string; name: string }, object: FluxObject): string {
  return binding.namespace === object.metadata.namespace || binding.namespace === undefined
    ? binding.name
    : `${binding.namespace}/${binding.name}`;
}

/** Returns the hold that an object has from this controller; undefined: none. */
export function holdOf({ metadata, owners }: FluxObject): Hold | undefined {
  const notes = metadata.annotations ?? {};
  const by = notes[annotations.heldBy];
  if (by === undefined && !isOurs(owners.suspend) && !isOurs(owners.pin)) return undefined;
  const revision = notes[annotations.heldRevision];
  const [manager, at] = (notes[annotations.heldAgainst] ?? '').split(' ');
  return {
    by: (by ?? '').split(',').filter((name) => name !== ''),
    since: notes[annotations.heldSince] ?? '',
    reason: notes[annotations.holdReason] ?? '',
    ...(revision !== undefined && { revision }),
    ...(manager !== undefined && at !== undefined && { against: { manager, at } }),
  };
}

/** Returns the annotations that say the same. */
export function holdAnnotations({ by, since, revision, reason, against }: Hold): Record<string, string> {
  return {
    [annotations.heldBy]: by.join(','),
    [annotations.heldSince]: since,
    ...(revision !== undefined && { [annotations.heldRevision]: revision }),
    [annotations.holdReason]: reason,
    ...(against && { [annotations.heldAgainst]: `${against.manager} ${against.at}` }),
  };
}
