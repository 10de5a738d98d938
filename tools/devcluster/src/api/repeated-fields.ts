import { LineCounter, parseDocument } from 'yaml';
import { isObject } from '../schema/json.js';
import type { Json } from '../schema/types.js';

/** A field that a body contains more than once; parsing keeps only the last value. */
export interface RepeatedField {
  /** The text of the API server in warnings and errors. */
  message: string;
  /** Its path (`spec.containers[0].name`), if the format of the body provides it. */
  path?: string;
}

/** Returns the repeated fields of valid JSON or YAML text. */
export function repeatedFields(text: string, format: 'json' | 'yaml'): RepeatedField[] {
  if (format === 'yaml') return repeatedYamlKeys(text).map((message) => ({ message }));
  return repeatedPaths(text).map((path) => ({ path, message: `duplicate field "${path}"` }));
}

/** Returns the findings of strict decoding in a JSON patch: repeated and unknown fields of operations. */
export function jsonPatchProblems(text: string, operations: Json): RepeatedField[] {
  const unknown = (Array.isArray(operations) ? operations : []).flatMap((operation, index) =>
    Object.keys(isObject(operation) ? operation : {})
      .filter((key) => !['op', 'path', 'from', 'value'].includes(key))
      .map((key) => `json patch unknown field "[${index}].${key}"`),
  );
  const repeated = repeatedPaths(text).map((path) => `json patch duplicate field "${path}"`);
  return [...unknown, ...repeated].map((message) => ({ message }));
}

interface Frame {
  path: string;
  /** The keys of the object that were read so far; undefined in a list. */
  keys?: Set<string>;
  index: number;
  key: string;
  expectsKey: boolean;
}

const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]/gs;

function repeatedPaths(text: string): string[] {
  const found = new Set<string>();
  const frames: Frame[] = [];
  for (const [part] of text.matchAll(token)) {
    const top = frames.at(-1);
    if (part === '{' || part === '[') {
      const inside = { path: top === undefined ? '' : pathIn(top), index: 0, key: '', expectsKey: true };
      frames.push(part === '{' ? { ...inside, keys: new Set() } : inside);
    } else if (part === '}' || part === ']') frames.pop();
    else if (top?.keys === undefined) {
      if (part === ',' && top !== undefined) top.index += 1;
    } else if (part === ',') top.expectsKey = true;
    else if (top.expectsKey) {
      top.expectsKey = false;
      top.key = JSON.parse(part) as string;
      if (top.keys.has(top.key)) found.add(pathIn(top));
      top.keys.add(top.key);
    }
  }
  return [...found];
}

function pathIn({ path, keys, index, key }: Frame): string {
  if (keys === undefined) return `${path}[${index}]`;
  return path === '' ? key : `${path}.${key}`;
}

/**
 * Returns whether text is JSON without repeated keys, which controllers send. To parse it as YAML takes ten times as
 * long.
 */
function isPlainJson(text: string): boolean {
  try {
    JSON.parse(text);
  } catch {
    return false;
  }
  return repeatedPaths(text).length === 0;
}

function repeatedYamlKeys(text: string): string[] {
  if (isPlainJson(text)) return [];
  const lineCounter = new LineCounter();
  const { errors } = parseDocument(text, { version: '1.1', lineCounter, prettyErrors: false });
  return errors
    .filter(({ code }) => code === 'DUPLICATE_KEY')
    .map(({ pos: [start] }) => {
      const [, double, single, plain = ''] =
        /^(?:"([^"]*)"|'([^']*)'|([^:\n]*?)\s*:)/.exec(text.slice(start)) ?? [];
      return `line ${lineCounter.linePos(start).line}: key "${double ?? single ?? plain}" already set in map`;
    });
}
