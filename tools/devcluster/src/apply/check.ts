import { isObject } from '../schema/json.js';
import type { Json, JsonObject } from '../schema/types.js';
import { itemElement } from './list-items.js';
import { fieldElement, printPath, type Path } from './path-element.js';
import { alternative, type ListType, type MapType, type Scalar, type Type } from './types.js';

interface TypeProblem {
  path: Path;
  message: string;
}

/**
 * Checks that an applied configuration matches its type: only declared fields, scalars of the right type, addressable
 * and unique list items. Returns the problems as one text with the wording of structured-merge-diff, or undefined.
 */
export function checkTyped(value: Json, type: Type): string | undefined {
  const problems = [...check(value, type, [])].map(({ path, message }) =>
    path.length === 0 ? message : `${printPath(path)}: ${message}`,
  );
  return problems.length > 1 ? ['errors:', ...problems.map((line) => `  ${line}`)].join('\n') : problems[0];
}

function* check(value: Json, type: Type, path: Path): Generator<TypeProblem> {
  if (value === null) return;
  const found = alternative(type, value);
  if (found.kind === 'scalar') {
    const message = checkScalar(value, found.scalar);
    if (message !== undefined) yield { path, message };
  } else if (found.kind === 'map') {
    if (isObject(value)) yield* checkMap(value, found.map, path);
    else yield { path, message: `expected map, got ${goValue(value)}` };
  } else if (Array.isArray(value)) {
    yield* checkList(value, found.list, path);
  } else {
    yield { path, message: `expected list, got ${goValue(value)}` };
  }
}

function* checkMap(value: JsonObject, map: MapType, path: Path): Generator<TypeProblem> {
  for (const [key, child] of Object.entries(value)) {
    const at = [...path, fieldElement(key)];
    const type = map.field(key) ?? map.element();
    if (type === undefined) {
      yield { path: at, message: 'field not declared in schema' };
      return;
    }
    yield* check(child, type, at);
  }
}

function* checkList(items: Json[], list: ListType, path: Path): Generator<TypeProblem> {
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    let element = `i:${String(index)}`;
    if (list.relationship !== 'atomic') {
      const found = itemElement(list, item);
      if ('error' in found) {
        yield { path, message: `element ${String(index)}: ${found.error}` };
        return;
      }
      element = found.element;
      if (seen.has(element)) yield { path, message: `duplicate entries for key ${printPath([element])}` };
      seen.add(element);
    }
    yield* check(item, list.element(), [...path, element]);
  }
}

function checkScalar(value: Json, scalar: Scalar): string | undefined {
  switch (scalar) {
    case 'numeric':
      return typeof value === 'number' ? undefined : `expected numeric (int or float), got ${goType(value)}`;
    case 'string':
      return typeof value === 'string'
        ? undefined
        : `expected string, got &value.valueUnstructured{Value:${goValue(value)}}`;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got ${goValue(value)}`;
    case 'untyped':
      return typeof value === 'object' ? `expected any scalar, got ${goValue(value)}` : undefined;
  }
}

function goType(value: Json): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'boolean') return 'bool';
  return isObject(value) ? 'map[string]interface {}' : typeof value;
}

function goValue(value: Json): string {
  return JSON.stringify(value);
}
