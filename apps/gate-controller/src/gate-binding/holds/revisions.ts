import { type FluxObject, pinField } from '@interlock/gating';

const commit = /(?:^|[:/])([0-9a-f]{40}|[0-9a-f]{64})$/;
const digest = /(?:^|@)(?:sha256:)?([0-9a-f]{64})$/;

/**
 * Returns the value of the field that pins a source of this kind to the revision; undefined if the kind cannot be
 * pinned, or the revision does not contain a full commit SHA or digest.
 *
 * @param revision as Flux shows it, such as `main@sha1:<commit>`, or the commit or digest itself
 */
export function pinOf(kind: string, revision: string | undefined): string | undefined {
  if (revision === undefined) return undefined;
  switch (pinField(kind)) {
    case 'commit':
      return commit.exec(revision)?.[1];
    case 'digest': {
      const hex = digest.exec(revision)?.[1];
      return hex === undefined ? undefined : `sha256:${hex}`;
    }
    case undefined:
      return undefined;
  }
}

/** Returns the current pin of a source, whichever manager set it. */
export function pinnedAt({ kind, spec }: FluxObject): string | undefined {
  const field = pinField(kind);
  return field && spec.ref?.[field];
}

/**
 * Returns the revision as Flux will show it: a GitRepository keeps the name of its branch or reference, but not the name of a tag
 * (Flux: GitRepository, "Reference").
 *
 * @param pin a commit or digest
 */
export function revisionAt({ kind, spec, status }: FluxObject, pin: string): string {
  if (pinField(kind) !== 'commit') return pin;
  const checksum = `${pin.length === 64 ? 'sha256' : 'sha1'}:${pin}`;
  const { name, branch, tag, semver } = spec.ref ?? {};
  const place =
    name ?? branch ?? (tag === undefined && semver === undefined ? placeOf(status.revision) : undefined);
  return place === undefined ? checksum : `${place}@${checksum}`;
}

/** Returns the name before the checksum of a revision. */
export function placeOf(revision: string | undefined): string | undefined {
  const at = revision?.lastIndexOf('@') ?? -1;
  return at > 0 ? revision?.slice(0, at) : undefined;
}

/** Returns the last revision of a list that every other list contains too, as a pin. */
export function commonPin(
  kind: string,
  [first = [], ...rest]: readonly (readonly string[])[],
): string | undefined {
  const pins = (revisions: readonly string[]) => revisions.flatMap((revision) => pinOf(kind, revision) ?? []);
  const others = rest.map((revisions) => new Set(pins(revisions)));
  return pins(first).findLast((pin) => others.every((set) => set.has(pin)));
}
