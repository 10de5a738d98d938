/** The kinds of types that the checker of cel-go distinguishes. */
export type TypeKind =
  | 'bool'
  | 'bytes'
  | 'double'
  | 'duration'
  | 'dyn'
  | 'error'
  | 'int'
  | 'list'
  | 'map'
  | 'null'
  | 'opaque'
  | 'param'
  | 'string'
  | 'struct'
  | 'timestamp'
  | 'type'
  | 'uint';

/** The type of an expression. */
export interface CelType {
  readonly kind: TypeKind;
  /** The name in messages, without the parameters. */
  readonly name: string;
  readonly params: readonly CelType[];
  /** Returns the type of a field of an object; absent for types whose fields are not declared. */
  field?(name: string): CelType | undefined;
}

function simple(kind: TypeKind, name: string = kind): CelType {
  return { kind, name, params: [] };
}

export const boolType = simple('bool');
export const bytesType = simple('bytes');
export const doubleType = simple('double');
export const durationType = simple('duration');
export const dynType = simple('dyn');
export const errorType = simple('error', '!error!');
export const intType = simple('int');
export const nullType = simple('null');
export const stringType = simple('string');
export const timestampType = simple('timestamp');
export const uintType = simple('uint');

export function listOf(element: CelType): CelType {
  return { kind: 'list', name: 'list', params: [element] };
}

export function mapOf(key: CelType, value: CelType): CelType {
  return { kind: 'map', name: 'map', params: [key, value] };
}

export function optionalOf(value: CelType): CelType {
  return { kind: 'opaque', name: 'optional_type', params: [value] };
}

/** Returns the type of a type as a value, as in `type(self) == string`. */
export function typeOfType(type: CelType): CelType {
  return { kind: 'type', name: 'type', params: [type] };
}

export function paramType(name: string): CelType {
  return simple('param', name);
}

export function structType(name: string, field?: (name: string) => CelType | undefined): CelType {
  return { kind: 'struct', name, params: [], ...(field === undefined ? {} : { field }) };
}

/** Returns the type inside an optional type, or undefined for any other type. */
export function unwrapOptional(type: CelType): CelType | undefined {
  return type.kind === 'opaque' && type.name === 'optional_type' ? type.params[0] : undefined;
}

/** Returns a type as cel-go prints it, for example `map(string, int)`. */
export function formatType({ name, params }: CelType): string {
  return params.length === 0 ? name : `${name}(${params.map(formatType).join(', ')})`;
}

/** Reports whether two types are the same; objects are identified by their names. */
export function sameType(a: CelType, b: CelType): boolean {
  return (
    a === b ||
    (a.kind === b.kind &&
      a.name === b.name &&
      a.params.length === b.params.length &&
      a.params.every((param, index) => sameType(param, b.params[index] ?? errorType)))
  );
}
