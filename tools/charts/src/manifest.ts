import { parseAllDocuments } from 'yaml';

/** A Kubernetes object as it is written down. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string> };
  [field: string]: unknown;
}

/** Returns the objects of a YAML text. Throws an Error for YAML that is not well formed, such as one with a key twice. */
export function parseManifests(text: string): Manifest[] {
  return parseAllDocuments(text).flatMap((document) => {
    if ('empty' in document) return [];
    const [error] = document.errors;
    if (error) throw error;
    const manifest = document.toJS() as Manifest | null;
    return manifest === null ? [] : [manifest];
  });
}
