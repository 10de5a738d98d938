import { TypedError } from '@interlock/api';
import { hasMoreJsonValues } from '@interlock/base';

/** The body of a webhook, whose fields are unverified. */
export type Json = Readonly<Record<string, unknown>>;

const noCommit = /^0+$/;

/** Deliveries of an SCM have a value for each 40 bytes or so. */
const maxValues = 250_000;

/**
 * @throws TypedError `Invalid` when the body is not a JSON object, or has so many values that it would occupy the process for long:
 *   a tenant signs the webhooks of its own providers.
 */
export function parseObject(body: Buffer): Json {
  if (hasMoreJsonValues(body, maxValues))
    throw new TypedError(
      'Invalid',
      `the body has more than ${maxValues} values; send fewer events at a time`,
    );
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    value = undefined;
  }
  if (isObject(value)) return value;
  throw new TypedError(
    'Invalid',
    'the body is not a JSON object; set the content type of the webhook to application/json',
  );
}

/** Returns the object in a field, or undefined. */
export function nested(value: Json | undefined, field: string): Json | undefined {
  const inner = value?.[field];
  return isObject(inner) ? inner : undefined;
}

/** Returns the text in a field, or undefined. */
export function textOf(value: Json | undefined, field: string): string | undefined {
  const inner = value?.[field];
  return typeof inner === 'string' ? inner : undefined;
}

/** Returns the number in a field, or undefined. */
export function numberOf(value: Json | undefined, field: string): number | undefined {
  const inner = value?.[field];
  return typeof inner === 'number' ? inner : undefined;
}

/** Returns the commit in a field; undefined if it is absent, or if it is the zeros that represent no commit. */
export function commitOf(value: Json | undefined, field: string): string | undefined {
  const sha = textOf(value, field);
  return sha === undefined || noCommit.test(sha) ? undefined : sha;
}

/** Returns whether an object lists changes, all of which concern these fields. */
export function changesOnly(changes: Json | undefined, fields: ReadonlySet<string>): boolean {
  const names = Object.keys(changes ?? {});
  return names.length > 0 && names.every((name) => fields.has(name));
}

/** Returns whether two names of owners or repositories are equal, ignoring case. */
export function sameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
