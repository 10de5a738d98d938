import type { Json, JsonObject } from '../schema/types.js';
import { autoscalingMessages } from './autoscaling-messages.js';
import type { FieldType, Message } from './message.js';
import { protobufMessages } from './messages.js';
import { ProtobufError, readFields, type WireField } from './wire.js';

/** The prefix of every protobuf object of Kubernetes. */
const magic = Buffer.from('k8s\0');
const messages = { ...protobufMessages, ...autoscalingMessages };

/**
 * Decodes a request body of `application/vnd.kubernetes.protobuf`: the envelope (`runtime.Unknown`) and in it one of the
 * kinds that kubectl sends this way. Throws ProtobufError for anything else, and for fields that are not known, so that
 * nothing is lost silently.
 */
export function decodeProtobuf(body: Uint8Array): JsonObject {
  if (!magic.equals(body.subarray(0, magic.length))) {
    throw new ProtobufError('provided data does not appear to be a protobuf message');
  }
  let type: JsonObject = {};
  let raw: Uint8Array = new Uint8Array();
  for (const { number, value } of readFields(body.subarray(magic.length))) {
    if (typeof value === 'bigint') continue;
    if (number === 1) type = decodeMessage(value, { 1: ['apiVersion', 'string'], 2: ['kind', 'string'] }, '');
    if (number === 2) raw = value;
  }
  const { apiVersion = '', kind = '' } = type;
  const name = kind === 'DeleteOptions' ? 'v1/DeleteOptions' : `${String(apiVersion)}/${String(kind)}`;
  const message = Object.hasOwn(messages, name) ? messages[name] : undefined;
  if (message === undefined)
    throw new ProtobufError(`${name} is not taken as protobuf, only as JSON or YAML`);
  return { apiVersion, kind, ...decodeMessage(raw, message, String(kind)) };
}

function decodeMessage(bytes: Uint8Array, message: Message, path: string): JsonObject {
  const object: JsonObject = {};
  for (const field of readFields(bytes)) {
    const known = message[field.number];
    if (known === undefined) {
      if (isEmpty(field)) continue;
      throw new ProtobufError(
        `${path} field ${String(field.number)} is not taken as protobuf, only as JSON or YAML`,
      );
    }
    const [name, type] = known;
    put(object, name, type, field, `${path}.${name}`);
  }
  return object;
}

function isEmpty({ value }: WireField): boolean {
  return typeof value === 'bigint' ? value === 0n : value.length === 0;
}

function put(object: JsonObject, name: string, type: FieldType, field: WireField, path: string): void {
  if (typeof type === 'object' && 'list' in type) {
    const before = object[name];
    const item = type.list === 'string' ? textOf(field) : decodeMessage(bytesOf(field), type.list(), path);
    object[name] = Array.isArray(before) ? [...before, item] : [item];
    return;
  }
  if (typeof type === 'object' && 'map' in type) {
    const before = object[name];
    const entries = typeof before === 'object' && before !== null && !Array.isArray(before) ? before : {};
    object[name] = { ...entries, ...mapEntry(bytesOf(field), type.map, path) };
    return;
  }
  const value =
    typeof type === 'object' ? decodeMessage(bytesOf(field), type.message(), path) : scalar(type, field);
  if (value !== undefined) object[name] = value;
}

function mapEntry(bytes: Uint8Array, type: 'string' | 'bytes' | 'quantity', path: string): JsonObject {
  let key = '';
  let value: Json = '';
  for (const field of readFields(bytes)) {
    if (field.number === 1) key = textOf(field);
    else if (field.number === 2) value = scalar(type, field) ?? '';
    else throw new ProtobufError(`${path} is not a map`);
  }
  return { [key]: value };
}

function scalar(type: Extract<FieldType, string>, field: WireField): Json | undefined {
  switch (type) {
    case 'ignored':
      return undefined;
    case 'string':
      return textOf(field) || undefined;
    case 'bytes':
      return Buffer.from(bytesOf(field)).toString('base64');
    case 'int':
      return numberOf(field) || undefined;
    case 'int?':
      return numberOf(field);
    case 'bool':
      return numberOf(field) !== 0 || undefined;
    case 'bool?':
      return numberOf(field) !== 0;
    case 'time':
      return timeOf(bytesOf(field), 0);
    case 'microTime':
      return timeOf(bytesOf(field), 6);
    case 'quantity':
      return [...readFields(bytesOf(field))].map(textOf)[0] ?? '0';
    case 'intOrString':
      return intOrString(bytesOf(field));
  }
}

function bytesOf({ value }: WireField): Uint8Array {
  if (typeof value === 'bigint') throw new ProtobufError('a number where bytes are expected');
  return value;
}

function textOf(field: WireField): string {
  return Buffer.from(bytesOf(field)).toString('utf8');
}

function numberOf({ value }: WireField): number {
  if (typeof value !== 'bigint') throw new ProtobufError('bytes where a number is expected');
  return Number(BigInt.asIntN(64, value));
}

/** Decodes a `metav1.Time`; an empty message is the zero time. `digits` after the second: 0 or 6. */
function timeOf(bytes: Uint8Array, digits: 0 | 6): string | undefined {
  const fields = new Map([...readFields(bytes)].map((field) => [field.number, numberOf(field)]));
  const seconds = fields.get(1);
  if (seconds === undefined) return undefined;
  const text = new Date(seconds * 1000).toISOString().slice(0, 19);
  const micros = String(Math.floor((fields.get(2) ?? 0) / 1000)).padStart(6, '0');
  return digits === 0 ? `${text}Z` : `${text}.${micros}Z`;
}

/** Decodes an `intstr.IntOrString`: its type, then both values. */
function intOrString(bytes: Uint8Array): Json {
  const fields = new Map([...readFields(bytes)].map((field) => [field.number, field]));
  const type = fields.get(1);
  const [number, text] = [fields.get(2), fields.get(3)];
  if (type !== undefined && numberOf(type) === 1) return text === undefined ? '' : textOf(text);
  return number === undefined ? 0 : numberOf(number);
}
