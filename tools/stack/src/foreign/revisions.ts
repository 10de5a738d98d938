import type { ObjectKey } from '@interlock/api';
import type { ForeignObject } from './kinds.js';

interface Reference {
  kind?: string;
  name?: string;
  namespace?: string;
}

interface Ref {
  branch?: string;
  commit?: string;
  tag?: string;
  digest?: string;
}

/** Returns the revision that a source or an applier reports. */
export function revisionOf({ status }: ForeignObject): string | undefined {
  const { artifact, lastAppliedRevision, history } = (status ?? {}) as {
    artifact?: { revision?: string };
    lastAppliedRevision?: string;
    history?: { chartVersion?: string }[];
  };
  return artifact?.revision ?? lastAppliedRevision ?? history?.[0]?.chartVersion;
}

/** Returns the identity of the remote of a source: its URL, or the name of a bucket. */
export function urlOf({ spec }: ForeignObject): string {
  const { url, bucketName } = (spec ?? {}) as { url?: string; bucketName?: string };
  return url ?? bucketName ?? '';
}

/** Returns the source of an applier or of a HelmChart. */
export function sourceOf({ metadata, spec }: ForeignObject): (ObjectKey & { kind: string }) | undefined {
  const { sourceRef, chart, chartRef } = (spec ?? {}) as {
    sourceRef?: Reference;
    chart?: { spec?: { sourceRef?: Reference } };
    chartRef?: Reference;
  };
  const {
    kind,
    name,
    namespace = metadata.namespace,
  } = sourceRef ?? (typeof chart === 'object' ? chart.spec?.sourceRef : undefined) ?? chartRef ?? {};
  if (kind === undefined || name === undefined) return undefined;
  return { kind, name, namespace };
}

/**
 * Returns the revision that a source fetches. A commit or digest in its spec takes precedence over the remote, and
 * keeps only the name of a branch (Flux: GitRepository and OCIRepository, "Reference").
 *
 * @param head revision of the remote, such as `main@sha1:<commit>`
 */
export function digestOf({ spec }: ForeignObject, head: string): string {
  const { branch, commit, digest } = (spec?.['ref'] ?? {}) as Ref;
  if (commit !== undefined) return branch === undefined ? `sha1:${commit}` : `${branch}@sha1:${commit}`;
  return digest ?? head;
}
