import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { generateKeyPairSync } from 'node:crypto';
import { FakeClock } from '@interlock/base/testing';
import { noMetrics } from '../governor/metrics.js';
import { ServiceCaller } from '../governor/service-caller.js';
import { HostRules } from '../hosts.js';
import { clientOf } from '../testing/http.js';
import type { AppCredential } from './app-credential.js';
import { AppTokens } from './app-tokens.js';

const apiUrl = 'https://github.example.com/api/v3';
const { signal } = new AbortController();
let app: AppCredential;
let clock: FakeClock;
let status: number;
let body: string;
let requests: number;
let tokens: AppTokens;

beforeAll(() => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  app = {
    appId: '1',
    installationId: '2',
    privateKey: privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
  };
});

beforeEach(() => {
  [clock, status, body, requests] = [new FakeClock(), 401, '{"token":"t"}', 0];
  const send = () => {
    requests += 1;
    return Promise.resolve({ status, headers: {}, body: Buffer.from(body) });
  };
  tokens = new AppTokens({
    ...{ clock, apiUrl },
    credential: () => Promise.resolve(app),
    hosts: new HostRules({ githubUrl: 'https://github.example.com/acme', apiUrl }),
    caller: new ServiceCaller({
      ...{ clock, random: () => 0, hourlyBudget: 1_000, metrics: noMetrics },
      http: clientOf(send),
    }),
  });
});

/** Requests a token every 100 ms, as the pollers and reconcilers of several RunnerGroups do. */
async function askFor(seconds: number): Promise<void> {
  for (let n = 0; n < seconds * 10; n++) {
    await tokens.get(signal).catch(() => undefined);
    await clock.advance(100);
  }
}

describe('while no token is issued', () => {
  test.each([401, 403, 500])(
    'after status %i, requests one at most twice a minute in the end',
    async (first) => {
      status = first;
      await askFor(60);
      expect(requests).toBeLessThanOrEqual(6);
      await askFor(600);
      expect(requests).toBeLessThanOrEqual(6 + 20);
    },
  );

  test('all callers get the error of the last request', async () => {
    const errors = await Promise.all([1, 2].map(() => tokens.get(signal).catch(String)));
    errors.push(await tokens.get(signal).catch(String));
    expect(new Set(errors)).toEqual(new Set([expect.stringContaining('does not accept App 1')]));
    expect(requests).toBe(1);
  });

  test('the reason that GitHub states is reported', async () => {
    [status, body] = [403, '{"message":"This installation has been suspended"}'];
    await expect(tokens.get(signal)).rejects.toMatchObject({
      reason: 'CredentialUnavailable',
      message: expect.stringContaining('HTTP 403: This installation has been suspended'),
    });
  });

  test('another credential is used at once', async () => {
    await askFor(60);
    status = 201;
    app = { ...app, installationId: '3' };
    expect(await tokens.get(signal)).toBe('t');
  });

  test('the next request after the pause is sufficient', async () => {
    await askFor(1);
    status = 201;
    await clock.advance(30_000);
    expect(await tokens.get(signal)).toBe('t');
  });
});

test('an answer that is not JSON is reported as that of this request', async () => {
  [status, body] = [201, 'hello'];
  await expect(tokens.get(signal)).rejects.toThrow(
    'the response to the request for an installation token is not JSON',
  );
});

test.each(['"0001-01-01T00:00:00Z"', '"soon"', 'null'])(
  'a token whose answer states the end %s is used again',
  async (end) => {
    [status, body] = [201, `{"token":"t","expires_at":${end}}`];
    await askFor(60);
    expect(requests).toBe(1);
  },
);

test('does not read a key of another algorithm, which can take OpenSSL hours', async () => {
  const { privateKey } = generateKeyPairSync('dsa', { modulusLength: 1024, divisorLength: 160 });
  app = { ...app, privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
  await expect(tokens.get(signal)).rejects.toThrow('is not an RSA key in PEM');
  expect(requests).toBe(0);
});
