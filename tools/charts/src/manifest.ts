import { CORE_SCHEMA, loadAll } from 'js-yaml';

/** A Kubernetes object in a manifest. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string> };
  [field: string]: unknown;
}

/** Returns the objects of a YAML text. @throws Error for malformed YAML, such as duplicate keys */
export function parseManifests(text: string): Manifest[] {
  /* js-yaml takes a fifth of the time of yaml; the tests of the charts parse many megabytes. */
  const documents = loadAll(text, null, { schema: CORE_SCHEMA });
  return documents.filter((document) => document !== null && document !== undefined) as Manifest[];
}
