import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { retryAfterMs } from './headers.js';
import { parseJson, payloadLimits } from './json.js';
import { parseEnvelope, parseMessage } from './message.js';
import { readPayload } from './payload.js';
import { refusalOfAnswer } from './refusal.js';

const date = 'Thu, 01 Jan 2026 00:00:00 GMT';
const now = Date.parse(date);

describe('parseJson', () => {
  test('agrees with JSON.parse on texts without large numbers', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const text = JSON.stringify(value);
        if (/\d{16}/.test(text)) return;
        expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  test('keeps the digits of every integer', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n }), (id) => {
        expect(String((parseJson(`{"id":${id}}`) as { id: unknown }).id)).toBe(String(id));
      }),
    );
  });

  test.each([
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['-9007199254740991', Number.MIN_SAFE_INTEGER],
    ['9007199254740992', '9007199254740992'],
    ['-9007199254740992', '-9007199254740992'],
    ['10000000000000000', '10000000000000000'],
  ])('returns %s as a number only if that is exact', (digits, expected) => {
    expect(parseJson(`[${digits}]`)).toEqual([expected]);
  });

  test('does not change numbers that are not integers, and strings with digits', () => {
    const fields = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.stringMatching(/^-?\d{0,40}[e.]?\d{0,40}$/),
      fc.constantFrom('1.00000000000000000001', '9e-1000000000000000000', '-0.1234567890123456789'),
    );
    fc.assert(
      fc.property(fc.array(fields), (values) => {
        const texts = values.map((value) =>
          Number.isNaN(Number(value)) ? JSON.stringify(value) : String(value),
        );
        const valid = texts.filter((text) => /^(-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?|".*")$/.test(text));
        const text = `{"a":[${valid.join(' ,')}]}`;
        const expected: unknown = JSON.parse(text, (_key, value: unknown) => value);
        const [ours, theirs] = [parseJson(text), expected].map((value) => (value as { a: unknown[] }).a);
        theirs?.forEach((one, index) => {
          const isLongInteger = typeof one === 'number' && /^-?\d{16,}$/.test(valid[index] ?? '');
          expect(ours?.[index]).toEqual(isLongInteger && !Number.isSafeInteger(one) ? valid[index] : one);
        });
      }),
    );
  });

  test('parses a text of 10 MB with a long number in a time that grows only with its length', () => {
    const large = JSON.stringify('🚄é'.repeat(10_000_000 / 6));
    const payload = Buffer.from(`{"text":${large},"id":18446744073709551615}`);
    const value = parseJson(payload, 'the answer', payloadLimits);
    expect((value as { id: unknown }).id).toBe('18446744073709551615');
  });

  test.each([
    ['a deep text', '['.repeat(100_000)],
    ['a large text', `"${'x'.repeat(1 << 20)}"`],
    ['a text that breaks off', '{"a":'],
    ['HTML', '<html>'],
  ])('refuses %s without quoting it', (_name, text) => {
    expect(() => parseJson(text)).toThrow(/^the answer is /);
  });

  test('does not count brackets and digits in texts, and accepts a byte order mark', () => {
    const value = { a: `${'['.repeat(500)}\\"${'9'.repeat(30)}` };
    expect(parseJson(`\uFEFF${JSON.stringify(value)}`)).toEqual(value);
  });
});

describe('parseMessage', () => {
  const read = (messageType: string, body: object) =>
    parseMessage(
      parseEnvelope(
        Buffer.from(
          `{"messageId":-6543838626391933975,"messageType":"${messageType}","body":${JSON.stringify(JSON.stringify(body))}}`,
        ),
      ),
      'https://broker/',
    );

  test('reads an offer, ignoring the case of its type', () => {
    const body = {
      runner_request_id: 'r',
      run_service_url: 'https://run/1',
      billing_owner_id: 'o',
      should_acknowledge: 'True',
    };
    expect(read('RUNNERJOBREQUEST', body)).toEqual({
      type: 'job',
      offer: { requestId: 'r', runServiceUrl: 'https://run/1', billingOwnerId: 'o', shouldAcknowledge: true },
    });
  });

  test('reads a cancellation and records types that it does not know', () => {
    expect(read('JobCancellation', { jobId: 'j', timeout: '00:05:00' })).toEqual({
      ...{ type: 'cancellation', jobId: 'j', timeoutMs: 300_000 },
    });
    expect(read('RunnerRefresh', {})).toMatchObject({ type: 'other', name: 'runnerrefresh' });
  });

  test.each([
    ['1.00:00:30', 86_430_000],
    ['02:30:00.5000000', 9_000_000],
    ['99999999.23:59:59', 8.64e15 - 1000],
    ['99999999.99:99:99', undefined],
    ['999999999.00:00:00', undefined],
    ['-00:05:00', undefined],
    ['5 minutes', undefined],
    [undefined, undefined],
  ])('reads the timeout %s of a cancellation as %s milliseconds', (timeout, timeoutMs) => {
    expect(read('JobCancellation', { jobId: 'j', timeout })).toMatchObject({ timeoutMs });
  });

  test('refuses an offer without an id', () => {
    expect(() => read('RunnerJobRequest', {})).toThrow('runner_request_id');
  });
});

test.each([
  ['7', 7_000],
  ['1.5', 1_500],
  ['1e9', 300_000],
  ['-3', undefined],
  ['soon', undefined],
  [undefined, undefined],
  ['Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
  ['Wed, 31 Dec 2025 00:00:00 GMT', undefined],
])('retryAfterMs reads %s as %s ms', (value, ms) => {
  expect(retryAfterMs({ 'retry-after': value, date }, now + 3_600_000)).toBe(ms);
});

test.each([
  [400, '{"error":"constructor"}', 'Invalid', 'Invalid'],
  [503, '{"errorKind":"__proto__"}', 'Transient', 'ServerError'],
  [404, '{"errorKind":"RunnerNotFound"}', 'NotFound', 'RunnerNotFound'],
  [400, '{"errorKind":"RunnerSessionInvalid"}', 'NotFound', 'SessionExpired'],
  [400, '{"typeName":"GitHub.X.TaskAgentSessionExpiredException, GitHub"}', 'NotFound', 'SessionExpired'],
  [403, '{"message":"Runner version is too old"}', 'Permanent', 'RunnerVersionTooOld'],
  [403, '{"message":"You have exceeded a secondary rate limit"}', 'RateLimited', 'RateLimited'],
  [403, '', 'Unauthorized', 'AccessDenied'],
  [
    400,
    '{"error":"invalid_client","error_description":"Current server time is x"}',
    'Unauthorized',
    'ClockSkew',
  ],
  [400, '{"error":"invalid_client"}', 'Unauthorized', 'InvalidClient'],
  [502, '<html>', 'Transient', 'ServerError'],
  [302, '', 'Permanent', 'Redirected'],
  [409, '<html>', 'Conflict', 'Conflict'],
])('refusalOfAnswer reads HTTP %i %s as %s %s', (status, body, type, reason) => {
  expect(refusalOfAnswer('x', { status, headers: {}, body: Buffer.from(body) }, now)).toMatchObject({
    type,
    reason,
  });
});

test('readPayload prefers the plan id of the header and finds the service and the run', () => {
  const run = {
    t: 2,
    d: [
      { k: 'repository', v: 'acme/web' },
      { k: 'run_id', v: { t: 0, s: '7' } },
    ],
  };
  const endpoint = {
    name: 'SystemVssConnection',
    url: 'https://run/1',
    authorization: { parameters: { AccessToken: 't' } },
  };
  const text = JSON.stringify({
    plan: { planId: 'b' },
    jobId: 'j',
    resources: { endpoints: [endpoint] },
    contextData: { github: run },
  });
  const bytes = Buffer.from(text.replace('"jobId"', '"large":18446744073709551615,"jobId"'));
  expect(readPayload(bytes, 'h', 'r')).toMatchObject({
    identity: { planId: 'h', jobId: 'j' },
    service: { url: 'https://run/1', token: 't' },
    run: { repository: 'acme/web', runId: '7' },
  });
  expect(readPayload(bytes, undefined, 'r').identity.planId).toBe('b');
});

test.each(['null', '{}', '[]', '"ok"', '7'])(
  'readPayload refuses %s, which is not a job although the header names a plan',
  (text) => {
    expect(() => readPayload(Buffer.from(text), 'h', 'r')).toThrow('the payload of job r has no fields');
  },
);

test.each([
  ['2', 2],
  ['0', undefined],
  ['1.5', undefined],
])('readPayload reads the attempt %j of the run as %j', (attempt, runAttempt) => {
  const github = { repository: 'acme/web', run_id: '7', run_attempt: attempt };
  const d = Object.entries(github).map(([k, v]) => ({ k, v }));
  const text = JSON.stringify({
    ...{ plan: { planId: 'b' }, jobId: 'j', resources: { endpoints: [] } },
    contextData: { github: { t: 2, d } },
  });
  expect(readPayload(Buffer.from(text), 'h', 'r').run?.runAttempt).toBe(runAttempt);
});
