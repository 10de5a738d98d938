import { zeroObject } from '../apply/index.js';
import type { KubeObject } from '../object.js';
import { checkSubdomain } from '../registry/names.js';
import { allVerbs, type Resource, type Strategy } from '../registry/resource.js';
import { compileSchema } from '../schema/compile.js';
import type { Schema } from '../schema/types.js';
import { age } from '../table/age.js';
import type { Column } from '../table/column.js';

/** The behavior of most kinds. */
export const defaultStrategy: Strategy = {
  checkName: checkSubdomain,
  generation: false,
  status: false,
  unconditionalUpdate: true,
  createOnUpdate: false,
  returnsDeleted: false,
  statusKeepsMetadata: false,
};

/** A built-in kind; defaults can be omitted. */
export interface KindDefinition extends Partial<
  Omit<Resource, 'strategy' | 'schema' | 'compiled' | 'empty' | 'custom'>
> {
  kind: string;
  plural: string;
  schema: Schema;
  strategy?: Partial<Strategy>;
}

/** Completes the definition of a built-in kind. */
export function defineKind(definition: KindDefinition): Resource {
  const { group = '', kind, plural, schema, strategy, ...rest } = definition;
  return {
    version: 'v1',
    singular: kind.toLowerCase(),
    listKind: `${kind}List`,
    namespaced: true,
    shortNames: [],
    categories: [],
    verbs: allVerbs,
    collection: group === '' ? plural : `${plural}.${group}`,
    scale: undefined,
    columns: [nameColumn, ageColumn],
    fields: {},
    conversion: undefined,
    subresources: {},
    ...rest,
    group,
    kind,
    plural,
    schema,
    custom: false,
    compiled: compileSchema(schema),
    empty: zeroObject(schema),
    strategy: { ...defaultStrategy, ...strategy },
  };
}

/** Returns a column that is always shown. */
export function column(
  name: string,
  description: string,
  cell: Column['cell'],
  type: Column['type'] = 'string',
): Column {
  return { name, type, format: '', description, priority: 0, cell };
}

/** Returns the same column, shown only by `-o wide`. */
export function wide(base: Column): Column {
  return { ...base, priority: 1 };
}

export const nameColumn: Column = {
  ...column('Name', 'Name of the object, unique within its namespace.', ({ metadata }) => metadata.name),
  format: 'name',
};
export const ageColumn: Column = column('Age', 'Time since the object was created.', ageOf);

function ageOf({ metadata }: KubeObject, now: Date): string {
  return age(metadata.creationTimestamp, now);
}
