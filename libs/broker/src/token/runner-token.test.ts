import { describe, expect, test } from '@jest/globals';
import { FakeClock } from '@interlock/base/testing';
import { noMetrics } from '../governor/metrics.js';
import { ServiceCaller } from '../governor/service-caller.js';
import type { HttpAnswer, HttpCall } from '../http/exchange.js';
import { HostRules } from '../hosts.js';
import { clientOf } from '../testing/http.js';
import { createJitConfig } from '../testing/jit-config.js';
import { compactConfig } from '../wire/compact-config.js';
import { RunnerToken } from './runner-token.js';

const config = compactConfig(createJitConfig({ authorizationUrl: 'https://token.example/' }).encoded);
const signal = new AbortController().signal;
const hosts = new HostRules({
  githubUrl: 'https://token.example/acme',
  apiUrl: 'https://token.example/api/v3',
});

/** Returns a token whose service answers with the given refusals, then with numbered tokens of 1,000 s. */
function fixture(refusals: { status: number; body: object; date?: string }[], isFresh = true) {
  const clock = new FakeClock();
  const calls: { at: number; call: HttpCall }[] = [];
  const send = (call: HttpCall): Promise<HttpAnswer> => {
    calls.push({ at: clock.monotonic(), call });
    const { status, body, date } = refusals.shift() ?? {
      status: 200,
      body: { access_token: `token-${calls.length}`, expires_in: 1000 },
    };
    return Promise.resolve({ status, headers: { date }, body: Buffer.from(JSON.stringify(body)) });
  };
  const http = clientOf(send);
  const random = (): number => 0.5;
  const caller = new ServiceCaller({
    ...{ http, clock, random, hourlyBudget: 1_000, metrics: noMetrics, userAgent: 'test' },
  });
  return {
    clock,
    calls,
    token: new RunnerToken({ name: 'a-1', config, isFresh, caller, hosts, clock, random }),
  };
}

const unknown = { status: 400, body: { error: 'invalid_client', error_description: 'Client was not found' } };

describe('RunnerToken', () => {
  test('is exchanged once for all callers, and again at 80 % of its lifetime', async () => {
    const { clock, calls, token } = fixture([]);
    expect(await Promise.all([token.get(signal), token.get(signal)])).toEqual(['token-1', 'token-1']);
    await clock.advance(799_000);
    expect([token.current, await token.get(signal)]).toEqual(['token-1', 'token-1']);
    await clock.advance(1_000);
    expect([token.current, await token.get(signal)]).toEqual([undefined, 'token-2']);
    expect(calls).toHaveLength(2);
  });

  test('keeps its value while it is valid and its successor is refused for a while', async () => {
    const refusals: { status: number; body: object }[] = [];
    const { clock, token } = fixture(refusals);
    await token.get(signal);
    refusals.push(...Array.from({ length: 5 }, () => ({ status: 503, body: {} })));
    await clock.advance(800_000);
    expect(await clock.run(token.get(signal))).toBe('token-1');
  });

  test('is requested again until the service knows a new runner', async () => {
    const { clock, calls, token } = fixture([unknown, unknown]);
    expect(await clock.run(token.get(signal))).toBe('token-3');
    expect(calls.map(({ at }) => at - calls[0]!.at)).toEqual([0, 2_000, 4_000]);
  });

  test('is given up after six repetitions for a new runner, and immediately for an old runner', async () => {
    const fresh = fixture(Array.from({ length: 9 }, () => unknown));
    await expect(fresh.clock.run(fresh.token.get(signal))).rejects.toMatchObject({ reason: 'InvalidClient' });
    expect(fresh.calls).toHaveLength(7);
    const old = fixture([unknown], false);
    await expect(old.token.get(signal)).rejects.toMatchObject({ reason: 'InvalidClient' });
  });

  test.each<[title: string, refusal: { status: number; body: object }, times: number, waits: number[]]>([
    ['its service fails', { status: 503, body: {} }, 4, [1, 2, 4, 8]],
    ['its service reports that it has failed', { status: 400, body: { error: 'server_error' } }, 2, [1, 2]],
  ])('is requested again when %s', async (_title, refusal, times, waits) => {
    const { clock, calls, token } = fixture(Array.from({ length: times }, () => refusal));
    expect(await clock.run(token.get(signal))).toBe(`token-${times + 1}`);
    const gaps = calls.slice(1).map(({ at }, index) => (at - calls[index]!.at) / 1000);
    expect(gaps).toEqual(waits);
  });

  test('is given up after five failures of its service', async () => {
    const { clock, calls, token } = fixture(Array.from({ length: 9 }, () => ({ status: 502, body: {} })));
    await expect(clock.run(token.get(signal))).rejects.toMatchObject({ type: 'Transient' });
    expect(calls).toHaveLength(5);
  });

  test('is requested every 30 seconds for half an hour while the clock of a service without dates differs', async () => {
    const body = { error: 'invalid_client', error_description: 'Current server time is 01/01/2027' };
    const { clock, calls, token } = fixture(Array.from({ length: 99 }, () => ({ status: 400, body })));
    await expect(clock.run(token.get(signal))).rejects.toMatchObject({ reason: 'ClockSkew' });
    expect(calls).toHaveLength(61);
    expect(calls.at(-1)!.at - calls[0]!.at).toBe(30 * 60_000);
  });

  test('is requested with the time of the service after the local time was refused', async () => {
    const date = 'Fri, 01 Jan 2027 00:00:00 GMT';
    const body = { error: 'invalid_client', error_description: 'Current server time is 01/01/2027' };
    const { clock, calls, token } = fixture([{ status: 400, body, date }]);
    expect(await clock.run(token.get(signal))).toBe('token-2');
    const assertion = new URLSearchParams(calls[1]!.call.body).get('client_assertion')!;
    const claims = JSON.parse(Buffer.from(assertion.split('.')[1]!, 'base64url').toString()) as object;
    expect(claims).toMatchObject({ nbf: Date.parse(date) / 1000 });
  });
});
