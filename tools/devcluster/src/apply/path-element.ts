import type { Json } from '../schema/types.js';

/**
 * One step of a field path, in its FieldsV1 spelling: `f:name` (a field), `k:{"name":"x"}` (an item of a
 * list of type map), `v:"a"` (an item of a set), `i:0` (an index). Source: apimachinery FieldsV1.
 */
export type PathElement = string;
export type Path = readonly PathElement[];

const kinds = 'fkvi';

/** Returns the element of the field `name`. */
export function fieldElement(name: string): PathElement {
  return `f:${name}`;
}

/** Returns the element of a set's item. */
export function valueElement(value: Json): PathElement {
  return `v:${JSON.stringify(value)}`;
}

/** Returns the element of a list-map item, from its keys in any order. */
export function keyElement(keys: readonly (readonly [string, Json])[]): PathElement {
  const sorted = [...keys].sort(([a], [b]) => order(a, b));
  return `k:{${sorted.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`;
}

/** Returns the name of a field element; undefined for the other kinds. */
export function fieldName(element: PathElement): string | undefined {
  return element.startsWith('f:') ? element.slice(2) : undefined;
}

/** Returns the canonical form of an element from a client. Throws an Error when it is not a path element. */
export function parseElement(text: string): PathElement {
  const body = text.slice(2);
  switch (text.slice(0, 2)) {
    case 'f:':
      return text;
    case 'v:':
      return valueElement(JSON.parse(body) as Json);
    case 'k:':
      return keyElement(Object.entries(JSON.parse(body) as Record<string, Json>));
    case 'i:':
      if (/^\d+$/.test(body)) return text;
  }
  throw new Error(`not a path element: ${text}`);
}

/**
 * Compares elements by their order in a set: fields, keys, values, indices; each by its content, numbers before text.
 */
export function compareElements(a: PathElement, b: PathElement): number {
  const rank = kinds.indexOf(a.charAt(0)) - kinds.indexOf(b.charAt(0));
  if (rank !== 0) return rank;
  const [x, y] = [a, b].map((element) => (element.startsWith('f:') ? NaN : Number(element.slice(2)))) as [
    number,
    number,
  ];
  if (Number.isNaN(x) && Number.isNaN(y)) return order(a, b);
  return Number.isNaN(x) ? 1 : Number.isNaN(y) ? -1 : x - y;
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Returns a path in the format of Status causes: `.spec.ports[name="http"].port`. */
export function printPath(path: Path): string {
  return path.map(printElement).join('');
}

function printElement(element: PathElement): string {
  const body = element.slice(2);
  switch (element.charAt(0)) {
    case 'k':
      return `[${Object.entries(JSON.parse(body) as Record<string, Json>)
        .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
        .join(',')}]`;
    case 'v':
      return `[=${body}]`;
    case 'i':
      return `[${body}]`;
    default:
      return `.${body}`;
  }
}
