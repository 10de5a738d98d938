import { type FluxObject, type FluxObjects, isOurs, sourceOf } from '@interlock/gating';
import { pinnedAt, pinOf, placeOf } from './revisions.js';

/**
 * Returns the revision that an object would take if it were not held, as far as the cluster knows it: the revision of
 * the source of an applier, or the revision that the manifest of a source requests. Only the controller of a source knows
 * the state of the remote.
 */
export function pendingOf(object: FluxObject, objects: FluxObjects): string | undefined {
  const { kind, spec, status, owners } = object;
  if (kind === 'HelmChart') return undefined;
  const wanted = isApplied(object) ? offeredTo(object, objects) : undefined;
  if (wanted !== undefined) return wanted === status.revision ? undefined : wanted;
  const pin = isOurs(owners.pin) ? undefined : pinnedAt(object);
  if (pin !== undefined) return pin === pinOf(kind, status.revision) ? undefined : pin;
  const { name, semver, tag, branch } = spec.ref ?? {};
  if (name !== undefined || semver !== undefined || status.revision === undefined) return undefined;
  const wantedPlace = tag ?? branch;
  const place = placeOf(status.revision);
  return place === undefined || place === wantedPlace ? undefined : wantedPlace;
}

function isApplied({ kind }: FluxObject): boolean {
  return kind === 'Kustomization' || kind === 'HelmRelease';
}

/**
 * Returns the revision of the source of an applier. helm-controller names the chart of a HelmRelease
 * `<namespace>-<name>`, in the namespace of its repository.
 */
function offeredTo(object: FluxObject, objects: FluxObjects): string | undefined {
  const source = sourceOf(object);
  if (source === undefined) return undefined;
  if (object.kind === 'Kustomization') return objects.get(source)?.status.revision;
  if (object.spec.chartRef !== undefined) return undefined;
  const { name, namespace = '' } = object.metadata;
  const chart = { ...source, kind: 'HelmChart', name: `${namespace}-${name}` };
  return objects.get(chart)?.status.revision;
}
