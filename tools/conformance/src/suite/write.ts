import { expect } from 'expect';
import type { Answer, CallOptions } from './api.js';
import type { Body, StatusCause } from './body.js';
import type { Scope } from './scope.js';

/**
 * Creates an object that is deleted after the case.
 *
 * @param collection the path of its collection
 * @throws Error with the answer when the server does not create it.
 */
export async function create(
  scope: Scope,
  collection: string,
  object: object,
  options?: CallOptions,
): Promise<Body> {
  const answer = await scope.api.post(collection, object, options);
  if (answer.status !== 201) throw new Error(`POST ${collection} answers ${answer.status}: ${answer.text}`);
  scope.deleteAfterwards(`${collection}/${answer.body.metadata.name}`);
  return answer.body;
}

/** Removes the finalizers of an object after the case, so that nothing blocks its deletion. */
export function releaseAfterwards(scope: Scope, path: string): void {
  scope.cleanup((api) => api.patch(path, 'merge', { metadata: { finalizers: null } }));
}

/** Repeats a request until its response passes a check. The requests end at the deadline of the case. */
export async function repeat(
  request: () => Promise<Answer>,
  passes: (answer: Answer) => boolean,
): Promise<Answer> {
  for (;;) {
    const answer = await request();
    if (passes(answer)) return answer;
  }
}

/** Expects a Status with which the server refuses a request. */
export function expectRefusal(answer: Answer, code: number, reason: string): void {
  expect(answer).toMatchObject({ status: code, body: { kind: 'Status', status: 'Failure', code, reason } });
}

/** Expects a 422 whose causes name these fields, in any order. The response may have other causes. */
export function expectInvalid(answer: Answer, ...fields: string[]): void {
  expectRefusal(answer, 422, 'Invalid');
  expect(causesOf(answer).map(({ field }) => field)).toEqual(expect.arrayContaining(fields));
}

/** Returns the causes of a refusal. */
export function causesOf({ body }: Answer): StatusCause[] {
  return body.details?.causes ?? [];
}
