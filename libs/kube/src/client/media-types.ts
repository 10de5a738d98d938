export const patchMediaTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  /** The body is JSON, which is valid YAML. */
  apply: 'application/apply-patch+yaml',
} as const;

/** Returns the `Accept` header for metadata only; a server that does not support it sends whole objects. */
export function metadataAccept(as: 'PartialObjectMetadata' | 'PartialObjectMetadataList'): string {
  return `application/json;as=${as};g=meta.k8s.io;v=v1,application/json`;
}
