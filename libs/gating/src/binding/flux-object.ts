import {
  annotations,
  fluxResources,
  gatingGroup,
  type FluxKind,
  type Kind,
  type KubeObject,
  type ObjectKey,
  type ObjectMeta,
} from '@interlock/api';
import * as z from 'zod';
import { ownersOf, type FieldOwner } from '../hold/owners.js';

const reference = z.object({
  kind: z.string().optional(),
  name: z.string().optional(),
  namespace: z.string().optional(),
});
const dependency = z.object({ name: z.string(), namespace: z.string().optional() });

/* The fields that are read (Flux documentation, pages of the kinds). A field with an unexpected type counts as
   absent. */
const optional = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined);
const text = optional(z.string());

/** Maximum number of objects that an object depends on or includes: each takes time whenever any binding is reconciled. */
const maxReferences = 100;
const references = <T extends z.ZodType>(item: T) =>
  z.array(item).transform((items) => items.slice(0, maxReferences));
const spec = z.object({
  suspend: optional(z.boolean()),
  type: text,
  ref: optional(z.object({ branch: text, name: text, tag: text, semver: text, commit: text, digest: text })),
  include: optional(references(z.object({ repository: z.object({ name: z.string() }) }))),
  sourceRef: optional(reference),
  chart: optional(z.object({ spec: optional(z.object({ sourceRef: optional(reference) })) })),
  chartRef: optional(reference),
  dependsOn: optional(references(dependency)),
});
const status = z.object({
  observedGeneration: optional(z.number()),
  artifact: optional(z.object({ revision: text })),
  lastAppliedRevision: text,
  history: optional(z.array(z.object({ status: text, chartVersion: text }))),
});

/** The maximum length of a revision in the status of Gates, GateBindings and GateOverrides. */
const maxRevision = 512;

type FluxSpec = z.output<typeof spec>;

/** The part of a Flux object that this project reads. */
export interface FluxObject extends KubeObject {
  kind: FluxKind;
  spec: FluxSpec;
  status: {
    observedGeneration?: number | undefined;
    /**
     * The revision that a source has fetched, or that an applier has applied, such as `main@sha1:<commit>`; of a HelmRelease, the
     * version of its chart.
     */
    revision?: string | undefined;
  };
  /** The owners of the fields by which objects are held. */
  owners: {
    suspend: readonly FieldOwner[];
    pin: readonly FieldOwner[];
    branch: readonly FieldOwner[];
  };
}

/** The Flux kinds by name. */
export const flux: Readonly<Record<FluxKind, Kind<FluxObject>>> = fluxResources;

/** Returns whether objects of a kind apply the content of a source. All other kinds are sources. */
export function isApplier(kind: FluxKind): boolean {
  return kind === 'Kustomization' || kind === 'HelmRelease';
}

type Raw = KubeObject & { spec?: unknown; status?: unknown };

/** Reduces an object to the part that is read, for the cache. */
export function trimFluxObject(raw: Raw): FluxObject {
  const known = status.safeParse(raw.status).data ?? {};
  const { observedGeneration, artifact, lastAppliedRevision, history } = known;
  /* A HelmRelease lists its releases, the newest first, and had `lastAppliedRevision` before its version v2 only. */
  const deployed = history?.find((release) => release.status === 'deployed')?.chartVersion;
  const revision = boundedRevision(artifact?.revision ?? lastAppliedRevision ?? deployed);
  const { managedFields } = raw.metadata;
  return {
    apiVersion: raw.apiVersion,
    kind: raw.kind as FluxKind,
    metadata: trimMetadata(raw.metadata),
    spec: spec.safeParse(raw.spec).data ?? {},
    status: { observedGeneration, revision },
    owners: {
      suspend: ownersOf(managedFields, ['f:spec', 'f:suspend']),
      pin: ownersOf(managedFields, ['f:spec', 'f:ref', `f:${pinField(raw.kind) ?? ''}`]),
      branch: ownersOf(managedFields, ['f:spec', 'f:ref', 'f:branch']),
    },
  };
}

/**
 * Returns the end of a revision, which identifies the commit or digest: git allows names of branches that are longer than
 * a revision in a status of this project.
 */
export function boundedRevision(revision: string | undefined): string | undefined {
  if (revision === undefined || revision.length <= maxRevision) return revision;
  /* The API server stores another text if it begins within a surrogate pair. */
  return revision.slice(-maxRevision).replace(/^[\uDC00-\uDFFF]/, '');
}

/** Returns the field of `spec.ref` that pins a source; undefined if the kind cannot be pinned. */
export function pinField(kind: string): 'commit' | 'digest' | undefined {
  if (kind === 'GitRepository') return 'commit';
  return kind === 'OCIRepository' ? 'digest' : undefined;
}

/** A reference to a Flux object of any kind. */
export interface FluxReference extends ObjectKey {
  kind: string;
}

/** Returns the source that an applier or a HelmChart uses; undefined for other sources. */
export function sourceOf({ metadata, spec }: FluxObject): FluxReference | undefined {
  const {
    kind,
    name,
    namespace = metadata.namespace,
  } = spec.sourceRef ?? spec.chart?.spec?.sourceRef ?? spec.chartRef ?? {};
  if (kind === undefined || name === undefined) return undefined;
  return { kind, name, namespace };
}

export function referenceOf({ kind, metadata }: { kind: string; metadata: ObjectKey }): FluxReference {
  const { name, namespace } = metadata;
  return { kind, name, namespace };
}

/** Returns a reference as text, for map keys and messages. */
export function referenceString({ kind, namespace, name }: FluxReference): string {
  return namespace === undefined ? `${kind}/${name}` : `${kind}/${namespace}/${name}`;
}

function trimMetadata(metadata: ObjectMeta): ObjectMeta {
  const { name, namespace, uid, resourceVersion, generation, deletionTimestamp, labels } = metadata;
  const own = Object.entries(metadata.annotations ?? {}).filter(([key]) => key.startsWith(`${gatingGroup}/`));
  return {
    name,
    ...(namespace !== undefined && { namespace }),
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
    ...(generation !== undefined && { generation }),
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    ...(labels !== undefined && { labels }),
    ...(own.length > 0 && { annotations: Object.fromEntries(own) }),
  };
}

/** Returns whether an object requests gates for itself, by an annotation. */
export function requestsGates({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[annotations.gates] !== undefined;
}
