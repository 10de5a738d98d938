import type { Schema } from '../types.js';

/** A kind to publish. */
export interface OpenApiKind {
  kind: string;
  /** The name of the resource in paths. */
  plural: string;
  namespaced: boolean;
  /** Absent for a kind without a schema, which is published as an object of any shape. */
  schema?: Schema;
  subresources?: readonly OpenApiSubresource[];
  /** Whether strategic merge patches are accepted: true for built-in kinds. */
  strategicMerge?: boolean;
}

/** A subresource, with the type of its objects if that differs from the type of the resource. */
interface OpenApiSubresource {
  name: string;
  kind?: { group: string; version: string; kind: string };
}

/** A group version with the kinds in it; the group of the core kinds is empty. */
export interface OpenApiGroupVersion {
  group: string;
  version: string;
  kinds: readonly OpenApiKind[];
}

/** An OpenAPI 3.0 document of one group version. */
export interface OpenApiDocument {
  openapi: '3.0.0';
  info: { title: string; version: string };
  paths: Record<string, Record<string, unknown>>;
  components: { schemas: Record<string, object> };
}

/** Returns the path of a group version below `/` (`api/v1`, `apis/apps/v1`). */
export function groupVersionPath({ group, version }: { group: string; version: string }): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`;
}

/** Returns the name of a kind's schema: the group in reverse, the version and the kind (`dev.example.v1.Widget`). */
export function definitionName(group: string, version: string, kind: string): string {
  const namespace = group === '' ? 'io.k8s.api.core' : group.split('.').reverse().join('.');
  return `${namespace}.${version}.${kind}`;
}

/** Returns a reference to a schema of the same document. */
export function reference(name: string): { $ref: string } {
  return { $ref: `#/components/schemas/${name}` };
}
