/**
 * How a field is decoded. `int` and `bool` are always on the wire, so their zero means "not set"; `int?` and `bool?` are
 * on the wire only when they are set. Strings that are empty are not set.
 */
export type FieldType =
  | 'string'
  | 'int'
  | 'int?'
  | 'bool'
  | 'bool?'
  | 'bytes'
  | 'time'
  | 'microTime'
  | 'intOrString'
  | 'quantity'
  /** Not looked at: the server owns it. */
  | 'ignored'
  | { message: () => Message }
  | { list: 'string' | (() => Message) }
  | { map: 'string' | 'bytes' | 'quantity' };

/** Fields of a message by their numbers (generated.proto of k8s.io/api and k8s.io/apimachinery). */
export type Message = Readonly<Record<number, readonly [name: string, type: FieldType]>>;

export const one = (message: Message): FieldType => ({ message: () => message });
export const many = (message: Message): FieldType => ({ list: () => message });
export const STRINGS: FieldType = { list: 'string' };
export const LABELS: FieldType = { map: 'string' };
