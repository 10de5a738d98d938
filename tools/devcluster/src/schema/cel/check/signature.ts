import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listOf,
  mapOf,
  nullType,
  optionalOf,
  paramType,
  stringType,
  structType,
  timestampType,
  typeOfType,
  uintType,
} from './type.js';
import type { CelType } from './type.js';

/** One way to call a function. */
export interface Overload {
  /** The id of the overload in cel-go. */
  readonly id: string;
  readonly isMember: boolean;
  /** The type of the receiver, if there is one, and of the arguments. */
  readonly args: readonly CelType[];
  readonly result: CelType;
  /** The names of the type parameters in `args` and `result`. */
  readonly params: readonly string[];
}

const named: Readonly<Record<string, CelType>> = {
  bool: boolType,
  bytes: bytesType,
  double: doubleType,
  duration: durationType,
  dyn: dynType,
  int: intType,
  null: nullType,
  string: stringType,
  timestamp: timestampType,
  uint: uintType,
  ip: { kind: 'opaque', name: 'net.IP', params: [] },
  cidr: { kind: 'opaque', name: 'net.CIDR', params: [] },
  ...Object.fromEntries(
    ['URL', 'Quantity', 'Semver', 'NamedFormat'].map((name) => [name, structType(`kubernetes.${name}`)]),
  ),
  ...Object.fromEntries(
    ['Authorizer', 'PathCheck', 'GroupCheck', 'ResourceCheck', 'Decision'].map((name) => [
      name,
      structType(`kubernetes.authorization.${name}`),
    ]),
  ),
};

const generic: Readonly<Record<string, (...params: CelType[]) => CelType>> = {
  list: (element = dynType) => listOf(element),
  map: (key = dynType, value = dynType) => mapOf(key, value),
  optional: (value = dynType) => optionalOf(value),
  type: (type = dynType) => typeOfType(type),
};

/**
 * Reads declarations of functions, one on each line: `id name(arg, arg) result`, and `id receiver.name(arg) result` for members, where the
 * receiver is in parentheses. Types are `list<T>`, `map<K,V>`, `optional<T>`, `type<T>`, a type parameter (one capital letter) or a name.
 *
 * @returns the overloads of each function, in the order of the lines.
 */
export function readSignatures(text: string): Map<string, Overload[]> {
  const functions = new Map<string, Overload[]>();
  for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
    const match = /^\s*(\S+) (?:\((\S+)\)\.)?([^\s(]+)\((.*)\) (\S+)$/.exec(line);
    if (match === null) throw new Error(`not a signature: ${line}`);
    const [, id = '', receiver, name = '', args = '', result = ''] = match;
    const types = args === '' ? [] : args.split(', ');
    const overloads = functions.get(name) ?? [];
    overloads.push({
      id,
      isMember: receiver !== undefined,
      args: (receiver === undefined ? types : [receiver, ...types]).map(readType),
      result: readType(result),
      params: [...new Set(line.slice(line.indexOf(' ', line.indexOf(id))).match(/\b[A-Z]\b/g) ?? [])],
    });
    functions.set(name, overloads);
  }
  return functions;
}

function readType(text: string): CelType {
  const match = /^(\w+)<(.*)>$/.exec(text);
  const make = generic[match?.[1] ?? ''];
  if (make !== undefined) return make(...splitParams(match?.[2] ?? '').map(readType));
  const type = /^[A-Z]$/.test(text) ? paramType(text) : named[text];
  if (type === undefined) throw new Error(`not a type: ${text}`);
  return type;
}

/** Returns the parts of a list of types: `string,list<int>` → `string`, `list<int>` */
function splitParams(text: string): string[] {
  let depth = 0;
  const parts = [''];
  for (const character of text) {
    if (character === '<') depth++;
    if (character === '>') depth--;
    if (character === ',' && depth === 0) parts.push('');
    else parts.push(`${parts.pop() ?? ''}${character}`);
  }
  return parts;
}
