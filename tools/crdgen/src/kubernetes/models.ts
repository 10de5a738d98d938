import { readFileSync } from 'node:fs';

/** A field of a Kubernetes type. */
export interface ModelField {
  readonly name: string;
  /** The type as the package spells it: `string`, `Array<V1Container>`, `{ [key: string]: string; }`. */
  readonly type: string;
  readonly format: string;
  readonly required: boolean;
}

/**
 * The types that the Kubernetes project generates from the OpenAPI document of its API server, in the package of its
 * client. They are read as files; no code of the client runs here.
 */
const models = new URL('node_modules/@kubernetes/client-node/dist/gen/models/', workspaceRoot());

/**
 * Returns the URL of the workspace root, from the URL of this module, in the sources or in the bundle.
 */
function workspaceRoot(): URL {
  return new URL(`${import.meta.url.split('/tools/crdgen/')[0] ?? ''}/`);
}

/** Returns the fields of a type, such as `V1PodSpec`. */
export function modelFields(model: string): ModelField[] {
  const code = readFileSync(new URL(`${model}.js`, models), 'utf8');
  const declared = readFileSync(new URL(`${model}.d.ts`, models), 'utf8');
  const begin = code.indexOf('.attributeTypeMap = [') + '.attributeTypeMap = '.length;
  const list = code.slice(begin, code.indexOf('];', begin) + 1);
  const fields = JSON.parse(list) as { name: string; baseName: string; type: string; format: string }[];
  return fields.map(({ name, baseName, type, format }) => ({
    name: baseName,
    type,
    format,
    required: declared.includes(`\n    '${name}': `),
  }));
}
