import { stringify } from 'lossless-json';
import * as z from 'zod';
import { Refused } from '../record/refused.js';
import type { Call, Reply } from './message.js';

const jsonType = 'application/json; charset=utf-8';

/** Returns JSON text in which a bigint is a number. */
export function jsonText(value: unknown): string {
  return stringify(value) ?? 'null';
}

/** Returns a reply with a JSON body. */
export function jsonReply(status: number, value: unknown, headers: Record<string, string> = {}): Reply {
  return { status, headers: { 'content-type': jsonType, ...headers }, body: jsonText(value) };
}

/**
 * Returns the JSON body of a request. REST takes it with any content type, as GitHub does.
 *
 * @throws Refused, as a violation, when it is not JSON or does not have the expected shape.
 */
export function readJson<T>(call: Call, shape: z.ZodType<T>, status = 400): T {
  const isJson = (call.headers['content-type'] ?? 'application/json').startsWith('application/json');
  if (!isJson && call.entry.base !== 'rest') {
    throw malformed('the content type is not application/json', 415);
  }
  let value: unknown;
  try {
    value = JSON.parse(call.body.length === 0 ? '{}' : call.body.toString('utf8'));
  } catch {
    throw malformed('the body is not JSON', 400);
  }
  const parsed = shape.safeParse(value);
  if (!parsed.success) throw malformed(z.prettifyError(parsed.error), status);
  return parsed.data;
}

/**
 * Returns the query of a request.
 *
 * @throws Refused, as a violation, when it does not have the expected shape.
 */
export function readQuery<T>(call: Call, shape: z.ZodType<T>): T {
  const parsed = shape.safeParse(Object.fromEntries(call.query));
  if (!parsed.success) throw malformed(z.prettifyError(parsed.error), 400);
  return parsed.data;
}

function malformed(message: string, status: number): Refused {
  return new Refused(status, message, { violation: 'malformed-request' });
}
