import { describe, expect, it } from '@jest/globals';
import { Stop } from '@interlock/base';
import { FakeClock } from '@interlock/base/testing';
import type { HttpAnswer } from '../http/exchange.js';
import { noMetrics, type Endpoint } from './metrics.js';
import { clientOf } from '../testing/http.js';
import type { ServiceCall } from './pending-call.js';
import { ServiceCaller } from './service-caller.js';

const url = new URL('https://github.example.com/');
const seconds = 3_600;

function createCaller(answers: Partial<Record<Endpoint, Partial<HttpAnswer>>>) {
  const clock = new FakeClock();
  const sent: Endpoint[] = [];
  const call = ({
    endpoint,
    priority,
    host = url.host,
  }: Pick<ServiceCall, 'endpoint' | 'priority'> & { host?: string }) =>
    caller.call({
      endpoint,
      priority,
      what: endpoint,
      method: 'POST',
      url: new URL(endpoint, `https://${host}/`),
    });
  const caller = new ServiceCaller({
    ...{ clock, random: () => 0, hourlyBudget: 1_000, metrics: noMetrics },
    http: clientOf((request) => {
      const endpoint = request.url.pathname.slice(1) as Endpoint;
      sent.push(endpoint);
      return Promise.resolve({ status: 200, headers: {}, body: Buffer.alloc(0), ...answers[endpoint] });
    }),
  });
  return { clock, call, sent, caller };
}

const register = { endpoint: 'register', priority: 'register' } as const;
const renew = { endpoint: 'renew', priority: 'renew' } as const;
const usedUp = (clock: FakeClock) => ({
  'x-ratelimit-remaining': '0',
  'x-ratelimit-reset': String(Math.floor(clock.now() / 1000) + seconds),
});

describe('ServiceCaller', () => {
  it('renews locks at a host whose REST API has used up its hourly limit', async () => {
    const { clock, call, sent } = createCaller({ register: { headers: usedUp(new FakeClock()) } });
    await call(register);
    await call(renew);
    expect(sent).toEqual(['register', 'renew']);
    const startedAt = clock.monotonic();
    await clock.advance((seconds - 60) * 1000);
    await clock.run(call(register));
    expect(clock.monotonic() - startedAt).toBe(seconds * 1000);
  });

  it('refuses a call of a REST API whose limit is used up for longer than a minute, and states until when', async () => {
    const { clock, call, sent } = createCaller({ register: { headers: usedUp(new FakeClock()) } });
    await call(register);
    const until = new Date(clock.now() + seconds * 1000).toISOString().slice(0, 16);
    await expect(call(register)).rejects.toMatchObject({
      ...{ type: 'RateLimited', reason: 'LimitUsedUp', retryAfterMs: seconds * 1000 },
      message: `register: the rate limit of github.example.com REST is used up; calls continue at ${until}Z`,
    });
    expect(sent).toEqual(['register']);
  });

  it('refuses a call of a REST API whose limit is used up while the call waits', async () => {
    const { clock, call, sent } = createCaller({
      runs: { status: 429, headers: { 'retry-after': '30' } },
      appToken: { headers: usedUp(new FakeClock()) },
    });
    await expect(call({ endpoint: 'runs', priority: 'session' })).rejects.toThrow('429');
    const waiting = call(register);
    await call({ endpoint: 'appToken', priority: 'renew' });
    const refused = expect(waiting).rejects.toMatchObject({ reason: 'LimitUsedUp' });
    await clock.advance(31_000);
    await refused;
    expect(sent).toEqual(['runs', 'appToken']);
  });

  it('does not count the page of a proxy as the answer of the service', async () => {
    const { call } = createCaller({ complete: { body: Buffer.from('\n<!DOCTYPE html>') } });
    await expect(call({ endpoint: 'complete', priority: 'complete' })).rejects.toMatchObject({
      ...{ type: 'Transient', reason: 'UnexpectedAnswer' },
      message: 'complete: HTTP 200 with a page of a proxy; check the proxy',
    });
  });

  it.each([
    ['seconds', { 'retry-after': '30' }, 30],
    ['fractions of seconds', { 'retry-after': '1.5' }, 1.5],
    ['a date', { 'retry-after': 'Thu, 01 Jan 2026 00:00:45 GMT', date: 'Thu, 01 Jan 2026 00:00:00 GMT' }, 45],
    ['more than any caller waits', { 'retry-after': '1000000000' }, 300],
    ['a time that has passed', { 'retry-after': '-5' }, 1],
    ['no time', { 'retry-after': '0' }, 1],
    ['nothing', {}, 1],
  ])(
    'makes no call to a host before the time that its 429 requests in %s has passed',
    async (_name, headers, least) => {
      const { clock, call, sent } = createCaller({ poll: { status: 429, headers } });
      const poll = { endpoint: 'poll', priority: 'poll' } as const;
      await expect(call(poll)).rejects.toMatchObject({ type: 'RateLimited' });
      const startedAt = clock.monotonic();
      const again = call(poll);
      const elsewhere = call({ ...poll, endpoint: 'poll', host: 'other.example.com' });
      await expect(elsewhere).rejects.toMatchObject({ type: 'RateLimited' });
      expect([sent.length, clock.monotonic()]).toEqual([2, startedAt]);
      await expect(clock.run(again)).rejects.toMatchObject({ type: 'RateLimited' });
      expect((clock.monotonic() - startedAt) / 1000).toBeGreaterThanOrEqual(least);
      expect((clock.monotonic() - startedAt) / 1000).toBeLessThanOrEqual(Math.max(5, least * 1.1));
    },
  );

  it('repeats a refused renewal after a minute, and holds less urgent calls as long as the host requests', async () => {
    const headers = { 'retry-after': '300' };
    const { clock, call } = createCaller({ renew: { status: 429, headers } });
    await expect(call(renew)).rejects.toMatchObject({ type: 'RateLimited' });
    const poll = call({ endpoint: 'poll', priority: 'poll' });
    const startedAt = clock.monotonic();
    await expect(clock.run(call(renew))).rejects.toMatchObject({ type: 'RateLimited' });
    expect(clock.monotonic() - startedAt).toBe(60_000);
    await clock.run(poll);
    expect(clock.monotonic() - startedAt).toBeGreaterThanOrEqual(300_000);
  });

  it('makes a poll in its turn, and creates neither a call nor a request for one that is stopped before', async () => {
    const { caller, sent } = createCaller({});
    const created: string[] = [];
    const create = (what: string) => () => {
      created.push(what);
      return { endpoint: 'poll', priority: 'poll', what, method: 'GET', url: new URL('poll', url) } as const;
    };
    const stop = new Stop();
    const polls = [caller.poll(create('first'), new Stop()), caller.poll(create('stopped'), stop)];
    expect(created).toEqual([]);
    stop.abort();
    await expect(polls[1]).rejects.toMatchObject({ name: 'AbortError' });
    await expect(polls[0]).resolves.toMatchObject({ status: 200 });
    expect([created, sent]).toEqual([['first'], ['poll']]);
  });

  it('rejects a poll that cannot be created, and makes the next one', async () => {
    const { caller } = createCaller({});
    const fail = () => {
      throw new Error('the host is not allowed');
    };
    await expect(caller.poll(fail, new Stop())).rejects.toThrow('the host is not allowed');
    await expect(caller.turn()).resolves.toBeUndefined();
  });
});
