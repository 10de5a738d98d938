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
  /** Skipped: the server owns it. */
  | 'ignored'
  | { message: () => Message }
  | { list: 'string' | (() => Message) }
  | { map: 'string' | 'bytes' | 'quantity' };

/** Fields of a message by their numbers (generated.proto of k8s.io/api and k8s.io/apimachinery). */
export type Message = Readonly<Record<number, readonly [name: string, type: FieldType]>>;

/** Returns the type of a message. */
export const one = (message: Message): FieldType => ({ message: () => message });
/** Returns the type of a list of messages. */
export const many = (message: Message): FieldType => ({ list: () => message });
export const strings: FieldType = { list: 'string' };
export const bootstrapLabels: FieldType = { map: 'string' };

const ownerReference: Message = {
  1: ['kind', 'string'],
  3: ['name', 'string'],
  4: ['uid', 'string'],
  5: ['apiVersion', 'string'],
  6: ['controller', 'bool?'],
  7: ['blockOwnerDeletion', 'bool?'],
};

const objectMeta: Message = {
  1: ['name', 'string'],
  2: ['generateName', 'string'],
  3: ['namespace', 'string'],
  4: ['selfLink', 'string'],
  5: ['uid', 'string'],
  6: ['resourceVersion', 'string'],
  7: ['generation', 'int'],
  8: ['creationTimestamp', 'time'],
  9: ['deletionTimestamp', 'time'],
  10: ['deletionGracePeriodSeconds', 'int?'],
  11: ['labels', bootstrapLabels],
  12: ['annotations', bootstrapLabels],
  13: ['ownerReferences', many(ownerReference)],
  14: ['finalizers', strings],
};
export const metadata: Message[number] = ['metadata', one(objectMeta)];

export const labelSelector: Message = {
  1: ['matchLabels', bootstrapLabels],
  2: ['matchExpressions', many({ 1: ['key', 'string'], 2: ['operator', 'string'], 3: ['values', strings] })],
};

export const localReference: Message = { 1: ['name', 'string'] };
