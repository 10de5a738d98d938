import { isObject, jsonEqual } from '../json.js';
import type { JsonObject, Schema } from '../types.js';

/** The parts of apiextensions.k8s.io/v1 CustomResourceDefinition that are read here. */
export interface CustomResourceDefinition {
  metadata?: { name?: string; annotations?: Record<string, string> };
  spec?: CrdSpec;
  status?: { storedVersions?: string[]; conditions?: { type?: string; status?: string }[] };
}

export interface CrdSpec {
  group?: string;
  scope?: string;
  names?: CrdNames;
  versions?: CrdVersion[];
  conversion?: CrdConversion;
  preserveUnknownFields?: boolean;
}

export interface CrdNames {
  plural?: string;
  singular?: string;
  kind?: string;
  listKind?: string;
  shortNames?: string[];
  categories?: string[];
}

export interface CrdVersion {
  name?: string;
  served?: boolean;
  storage?: boolean;
  deprecated?: boolean;
  deprecationWarning?: string;
  schema?: { openAPIV3Schema?: Schema };
  subresources?: CrdSubresources;
  additionalPrinterColumns?: CrdColumn[];
  selectableFields?: { jsonPath?: string }[];
}

export interface CrdSubresources {
  status?: JsonObject;
  scale?: { specReplicasPath?: string; statusReplicasPath?: string; labelSelectorPath?: string };
}

export interface CrdColumn {
  name?: string;
  type?: string;
  format?: string;
  jsonPath?: string;
}

export interface CrdConversion {
  strategy?: string;
  webhook?: {
    clientConfig?: {
      url?: string;
      service?: { name?: string; namespace?: string; path?: string; port?: number };
    };
    conversionReviewVersions?: string[];
  };
}

/** Fields that can differ between versions. The API server moves them above the versions if they are equal. */
type PerVersion = 'schema' | 'subresources' | 'additionalPrinterColumns' | 'selectableFields';

/**
 * Returns whether a part is equal in all versions. Causes then name it without the version (`spec.validation`, not
 * `spec.versions[0].schema`), because the API server stores it once.
 */
export function isCommon(versions: readonly CrdVersion[], part: PerVersion): boolean {
  const [first] = versions;
  const value = first?.[part];
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return false;
  return versions.every((version) => jsonEqual(version[part], value));
}

/** Returns whether the definition serves custom resources. */
export function isEstablished(crd: CustomResourceDefinition): boolean {
  return (
    crd.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') === true
  );
}

/** Returns a schema from a definition: its keys beyond {@link Schema} are looked up by name. */
export function keyword(schema: Schema, name: string): unknown {
  const record: object = schema;
  return isObject(record) && Object.hasOwn(record, name) ? record[name] : undefined;
}
