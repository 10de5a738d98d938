import { child, key } from '../path.js';
import { own } from '../json.js';
import type { Schema } from '../types.js';

const step = /^(?:\.([^.[\]]+)|\['((?:[^'\\]|\\.)*)'\])/;

/**
 * Resolves a JSON path of fields and map keys (`.a.b`, `.labels['x']`) in a schema. @returns the path in the format of
 * causes (`a.b`, `labels[x]`) and its schema, or undefined if it does not exist.
 */
export function normalizeFieldPath(
  text: string,
  root: Schema,
  options: { brackets: boolean } = { brackets: true },
): { path: string; schema: Schema } | undefined {
  let path = '';
  let schema = root;
  for (let rest = text; rest !== '';) {
    const match = step.exec(rest);
    if (match === null || (match[2] !== undefined && !options.brackets)) return undefined;
    const name = match[1] ?? (match[2] ?? '').replace(/\\(.)/g, '$1');
    const property = own(schema.properties, name);
    const { additionalProperties } = schema;
    if (property !== undefined) {
      path = child(path, name);
      schema = property;
    } else if (schema.properties === undefined && typeof additionalProperties === 'object') {
      path = key(path, name);
      schema = additionalProperties;
    } else {
      return undefined;
    }
    rest = rest.slice(match[0].length);
  }
  return { path, schema };
}
