/** Selects documents of a YAML file; absent fields are not compared. */
export interface DocumentSelector {
  apiVersion?: string | undefined;
  kind?: string | undefined;
  name?: string | undefined;
  namespace?: string | undefined;
}

/** Any value that JSON can hold. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** One operation of a JSON Patch (RFC 6902). */
export type PatchOperation =
  | { op: 'add' | 'replace' | 'test'; path: string; value: Json }
  | { op: 'remove'; path: string }
  | { op: 'move'; from: string; path: string }
  | { op: 'copy'; from: string; path: string };

/** A JSON Patch (RFC 6902). */
export type JsonPatch = readonly PatchOperation[];

interface FileWrite {
  op: 'file.write';
  path: string;
  contents: string;
}

export interface FileDelete {
  op: 'file.delete';
  path: string;
}

/** A change of one YAML document. Without a path, it applies to the file and document of the subject. */
export interface YamlPatch {
  op: 'yaml.patch';
  path?: string | undefined;
  select?: DocumentSelector | undefined;
  patch: { type: 'json'; operations: PatchOperation[] } | { type: 'merge'; value: Record<string, Json> };
}

/** Removes one YAML document; a file without other documents is deleted, and removed from the kustomization that lists it. */
export interface YamlDeleteDocument {
  op: 'yaml.deleteDocument';
  path?: string | undefined;
  select?: DocumentSelector | undefined;
}

/** Replaces an image wherever the file uses it. */
export interface ImageSet {
  op: 'image.set';
  path?: string | undefined;
  select?: DocumentSelector | undefined;
  /** Only in containers of this name. */
  container?: string | undefined;
  /** The name without a tag or digest, such as `ghcr.io/org/app`. */
  image: string;
  newName?: string | undefined;
  newTag?: string | undefined;
  /** `sha256:…` */
  digest?: string | undefined;
}

export type Operation = FileWrite | FileDelete | YamlPatch | YamlDeleteDocument | ImageSet;
