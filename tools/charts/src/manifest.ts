import { parseAllDocuments } from 'yaml';

/** A Kubernetes object in a manifest. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string> };
  [field: string]: unknown;
}

/** Returns the objects of a YAML text. @throws Error for malformed YAML, such as duplicate keys */
export function parseManifests(text: string): Manifest[] {
  return parseAllDocuments(text).flatMap((document) => {
    if ('empty' in document) return [];
    const [error] = document.errors;
    if (error) throw error;
    const manifest = document.toJS() as Manifest | null;
    return manifest === null ? [] : [manifest];
  });
}
