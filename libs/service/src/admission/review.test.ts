import { describe, expect, test } from '@jest/globals';
import { isProblem } from '@interlock/base';
import { ConfigMap } from '@interlock/kube';
import { answerReview, readReview } from './review.js';

const signal = new AbortController().signal;
const kind = { group: '', version: 'v1', kind: 'ConfigMap' };
const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } };

function body(request: object, more: object = {}): Buffer {
  const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request, ...more };
  return Buffer.from(JSON.stringify(review));
}

const least = { uid: '1', kind, operation: 'DELETE', userInfo: {} };

describe('a review', () => {
  test('is read without the fields that the API server omits', () => {
    expect(readReview(body(least), ConfigMap, signal)).toEqual({
      uid: '1',
      operation: 'DELETE',
      name: '',
      namespace: undefined,
      subresource: undefined,
      user: { username: '', groups: [] },
      dryRun: false,
      object: undefined,
      oldObject: undefined,
      signal,
    });
  });

  test('is read with all fields', () => {
    const request = {
      ...least,
      operation: 'UPDATE',
      name: 'a',
      namespace: 'n',
      subResource: 'status',
      dryRun: true,
      userInfo: { username: 'ann', uid: '7', groups: ['dev'], extra: { a: ['b'] } },
      object,
      oldObject: { ...object, metadata: { name: 'a', annotations: null, labels: { a: 'b' } } },
    };
    expect(readReview(body(request), ConfigMap, signal)).toMatchObject({
      name: 'a',
      namespace: 'n',
      subresource: 'status',
      dryRun: true,
      user: { username: 'ann', uid: '7', groups: ['dev'] },
      object,
      oldObject: { metadata: { name: 'a', annotations: undefined, labels: { a: 'b' } } },
    });
  });

  test('is read with the lists that an API server writes as null', () => {
    const userInfo = { username: 'ann', groups: null, extra: { 'example.com/a': null, b: ['c'] } };
    expect(readReview(body({ ...least, userInfo }), ConfigMap, signal)).toMatchObject({
      user: { username: 'ann', groups: [], extra: { 'example.com/a': [], b: ['c'] } },
    });
  });

  test.each<[string, unknown]>([
    ['a body that is not bytes', {}],
    ['a body that is not JSON', Buffer.from('{')],
    ['another version', body(least, { apiVersion: 'admission.k8s.io/v1beta1' })],
    ['another kind of review', body(least, { kind: 'ConversionReview' })],
    ['no request', Buffer.from('{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}')],
    ['no uid', body({ ...least, uid: '' })],
    ['another operation', body({ ...least, operation: 'PATCH' })],
    ['another kind of object', body({ ...least, kind: { ...kind, kind: 'Secret' } })],
    ['another version of the object', body({ ...least, kind: { ...kind, version: 'v2' } })],
  ])('is refused with %s', (_what, sent) => {
    expect(readReview(sent, ConfigMap, signal)).toMatchObject({
      reason: expect.stringMatching(/^NotAReview$|^AnotherKind$/),
      message: expect.stringContaining('not a'),
    });
  });

  test('is refused before it is parsed if it has more values than the largest objects', () => {
    const reviewOf = (count: number) =>
      body({ ...least, object: { ...object, data: Array.from({ length: count }, () => '') } });
    expect(readReview(reviewOf(1_000_000), ConfigMap, signal)).toHaveProperty('uid', '1');
    expect(readReview(reviewOf(1_100_000), ConfigMap, signal)).toMatchObject({
      reason: 'TooManyValues',
      message: 'the body has more than 1048576 values; make the object smaller',
    });
  });
});

describe('an answer', () => {
  const request = readReview(body({ ...least, name: 'a' }), ConfigMap, signal);
  if (isProblem(request)) throw new Error(request.message);
  const answer = (verdict: Parameters<typeof answerReview>[2]) => answerReview(request, ConfigMap, verdict);

  test.each([
    [{ allowed: true }, { allowed: true }],
    [{ allowed: true, warnings: [] }, { allowed: true }],
    [
      { allowed: true, warnings: ['w'] },
      { allowed: true, warnings: ['w'] },
    ],
    [{ allowed: true, patch: [] }, { allowed: true }],
    [
      { allowed: true, patch: [{ op: 'remove', path: '/data' }] },
      {
        allowed: true,
        patchType: 'JSONPatch',
        patch: Buffer.from('[{"op":"remove","path":"/data"}]').toString('base64'),
      },
    ],
    [
      { allowed: false, message: 'no' },
      { allowed: false, status: { status: 'Failure', message: 'no', reason: 'Forbidden', code: 403 } },
    ],
    [
      { allowed: false, message: 'no', causes: [{ field: 'data', message: 'bad' }], warnings: ['w'] },
      {
        allowed: false,
        warnings: ['w'],
        status: {
          status: 'Failure',
          message: 'no',
          reason: 'Invalid',
          code: 422,
          details: {
            name: 'a',
            group: '',
            kind: 'ConfigMap',
            causes: [{ reason: 'FieldValueInvalid', field: 'data', message: 'bad' }],
          },
        },
      },
    ],
  ] as const)('is written for %j', (verdict, response) => {
    expect(answer(verdict as Parameters<typeof answerReview>[2])).toEqual({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid: '1', ...response },
    });
  });
});
