import { createHmac } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { TypedError } from '@interlock/api';
import { githubWebhook } from './github/webhook.js';
import type { WebhookDelivery } from './receive.js';
import { WebhookSecrets } from './webhook-secrets.js';

const body = Buffer.from('{}');
const plugins = [{ webhook: githubWebhook }];

function signed(secret: string): WebhookDelivery {
  const hmac = createHmac('sha256', secret).update(body).digest('hex');
  return { headers: { 'x-github-event': 'ping', 'x-hub-signature-256': `sha256=${hmac}` }, body };
}

/** Returns a Secret of the API server, a clock, and deliveries that are checked with both. */
function fixture() {
  const state = { now: 0, secret: 'first', reads: 0, error: undefined as Error | undefined };
  const secrets = new WebhookSecrets(() => state.now);
  const read = async (): Promise<string> => {
    state.reads += 1;
    if (state.error !== undefined) throw state.error;
    return state.secret;
  };
  const receive = async (secret: string, id = 'team/forge'): Promise<number> => {
    const received = await secrets.receive({ id, plugins, kinds: ['push'], read }, signed(secret));
    return 'answer' in received ? received.answer.code : 202;
  };
  return { state, receive };
}

/** Returns a fixture whose Secret has changed since it was read for the first delivery. */
async function changedFixture() {
  const changed = fixture();
  expect(await changed.receive('first')).toBe(200);
  changed.state.secret = 'second';
  return changed;
}

it('reads a Secret once for concurrent deliveries', async () => {
  const { state, receive } = fixture();
  const codes = await Promise.all(Array.from({ length: 1000 }, () => receive('first')));
  expect(new Set(codes)).toEqual(new Set([200]));
  expect(state.reads).toBe(1);
});

it('reads a Secret at most once per second while deliveries have wrong signatures', async () => {
  const { state, receive } = fixture();
  for (let ms = 0; ms < 10_000; ms += 10) {
    state.now = ms;
    expect(await receive('guessed')).toBe(401);
  }
  expect(state.reads).toBe(10);
});

it('accepts a delivery that is signed with the new secret a second after the change', async () => {
  const { state, receive } = await changedFixture();
  state.now = 1_000;
  expect(await receive('second')).toBe(200);
  expect(await receive('first')).toBe(401);
});

it('refuses the old secret 15 seconds after the change', async () => {
  const { state, receive } = await changedFixture();
  state.now = 14_999;
  expect(await receive('first')).toBe(200);
  state.now = 15_000;
  expect(await receive('first')).toBe(401);
});

it.each([
  ['SecretNotFound', 'NotFound'],
  ['SecretNotFound', 'Unauthorized'],
  ['SecretTypeNotAllowed', 'Unauthorized'],
] as const)(
  'refuses every delivery, as for an unknown address, when the Secret is refused with %s (%s)',
  async (reason, type) => {
    const { state, receive } = fixture();
    state.error = new TypedError(type, 'spec.secretRef', { reason });
    for (const secret of ['', ' ', 'first']) expect(await receive(secret)).toBe(401);
    state.error = undefined;
    state.now = 1_000;
    expect(await receive('first')).toBe(200);
  },
);

it('does not cache a failure to read a Secret', async () => {
  const { state, receive } = fixture();
  state.error = new Error('the API server does not answer');
  await expect(receive('first')).rejects.toThrow('does not answer');
  state.error = undefined;
  expect(await receive('first')).toBe(200);
});

it('keeps the secrets of two addresses apart', async () => {
  const { state, receive } = fixture();
  expect(await receive('first', 'a/forge')).toBe(200);
  state.secret = 'second';
  expect(await receive('first', 'b/forge')).toBe(401);
  expect(await receive('second', 'b/forge')).toBe(200);
});
