import * as z from 'zod';
import { projectName } from '../names.js';
import type { Kind, KubeObject } from '../object.js';

/** A column of `kubectl get` (apiextensions.k8s.io/v1 `CustomResourceColumnDefinition`). */
export interface PrintColumn {
  name: string;
  type: 'string' | 'integer' | 'boolean' | 'date';
  jsonPath: string;
  description?: string;
  /** 0 is always shown; 1 is shown with `-o wide`. */
  priority?: number;
}

/** A CEL rule (apiextensions.k8s.io/v1 `ValidationRule`). */
export interface CelRule {
  rule: string;
  message: string;
  fieldPath?: string;
}

/** A kind of this project: how it is addressed, and the contents of its CustomResourceDefinition. */
export interface CustomKind<T extends KubeObject = KubeObject> extends Kind<T> {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly description: string;
  readonly spec: z.ZodType;
  readonly status: z.ZodType;
  readonly rules: readonly CelRule[];
  readonly printColumns: readonly PrintColumn[];
}

/** An object of a kind whose spec and status have these schemas. Status is absent until a controller has written it. */
export interface CustomObject<Spec, Status> extends KubeObject {
  spec: Spec;
  status?: Status;
}

interface Definition<Spec extends z.ZodType, Status extends z.ZodType> {
  group: string;
  version: string;
  kind: string;
  plural: string;
  shortNames?: string[];
  /** Further categories, in addition to the category of the project. */
  categories?: string[];
  namespaced?: boolean;
  description: string;
  spec: Spec;
  status: Status;
  rules?: CelRule[];
  printColumns: PrintColumn[];
}

/**
 * Returns a kind whose object type is derived from the schemas. All kinds of the project are in the category
 * `interlock`.
 */
export function defineKind<Spec extends z.ZodType, Status extends z.ZodType>(
  definition: Definition<Spec, Status>,
): CustomKind<CustomObject<z.output<Spec>, z.output<Status>>> {
  return {
    ...definition,
    singular: definition.kind.toLowerCase(),
    shortNames: definition.shortNames ?? [],
    categories: [projectName, ...(definition.categories ?? [])],
    namespaced: definition.namespaced ?? true,
    rules: definition.rules ?? [],
  };
}

/** Returns `schema` with CEL rules at its node. */
export function withRules<T extends z.ZodType>(schema: T, rules: CelRule[]): T {
  return schema.meta({ ...schema.meta(), 'x-kubernetes-validations': rules });
}

/**
 * Returns the rule that exactly one of the fields must be set.
 *
 * @param what noun for the fields in the message
 */
export function exactlyOneOf(what: string, fields: readonly string[]): CelRule {
  const present = fields.map((field) => `has(self.${field})`).join(', ');
  return {
    rule: `[${present}].exists_one(set, set)`,
    message: `exactly one ${what} must be set: ${fields.join(', ')}`,
  };
}

type Optional<S extends z.ZodRawShape> = { [K in keyof S]: z.ZodOptional<S[K]> };

/** Returns the same fields, all of them optional. */
export function optional<S extends Record<string, z.ZodType>>(fields: S): Optional<S> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name, schema.optional()]),
  ) as Optional<S>;
}

/** Returns a list whose entries are identified by `keys`, so that several field managers can own entries. */
export function listMap<T extends z.ZodType>(item: T, keys: string[], maxItems: number): z.ZodArray<T> {
  return z
    .array(item)
    .max(maxItems)
    .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys });
}

/** Returns the schema of an object with arbitrary fields, which are preserved. */
export function freeForm(description: string) {
  return z
    .record(z.string(), z.unknown())
    .meta({ description, type: 'object', 'x-kubernetes-preserve-unknown-fields': true });
}
