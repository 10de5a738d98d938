import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { githubWebhook } from './webhook.js';

const sign = (body: Buffer, secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
const repository = { name: 'web', owner: { login: 'acme' }, full_name: 'acme/web' };
const parse = (event: string, payload: unknown) =>
  githubWebhook.parse(
    { 'x-github-event': event, 'x-github-delivery': 'd-1' },
    Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload)),
  );

describe('verify', () => {
  const body = Buffer.from('{"zen":"Design for failure."}');

  test('accepts only the signature of the secret', () => {
    const headers = { 'x-hub-signature-256': sign(body, 's3cret') };
    expect(githubWebhook.verify(headers, body, 's3cret')).toBe(true);
    expect(githubWebhook.verify(headers, body, 'other')).toBe(false);
    expect(githubWebhook.verify(headers, Buffer.from('{}'), 's3cret')).toBe(false);
  });

  test.each([
    ['no header', {}],
    ['an empty header', { 'x-hub-signature-256': '' }],
    ['another algorithm', { 'x-hub-signature-256': sign(body, 's').replace('sha256', 'sha1') }],
    ['a short signature', { 'x-hub-signature-256': sign(body, 's').slice(0, -2) }],
    ['a longer signature', { 'x-hub-signature-256': `${sign(body, 's')}00` }],
    ['only the old header', { 'x-hub-signature': sign(body, 's') }],
  ])('refuses %s', (_, headers) => {
    expect(githubWebhook.verify(headers, body, 's')).toBe(false);
  });

  test('refuses an empty secret', () => {
    expect(githubWebhook.verify({ 'x-hub-signature-256': sign(body, '') }, body, '')).toBe(false);
  });

  test('refuses every body that differs in one byte', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1 }),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (bytes, at, flip) => {
          const original = Buffer.from(bytes);
          const changed = Buffer.from(bytes);
          const index = at % changed.length;
          changed[index] = (changed[index] ?? 0) ^ flip;
          const headers = { 'x-hub-signature-256': sign(original, 's') };
          expect(githubWebhook.verify(headers, original, 's')).toBe(true);
          expect(githubWebhook.verify(headers, changed, 's')).toBe(false);
        },
      ),
    );
  });
});

describe('parse', () => {
  const zeros = '0'.repeat(40);

  test('returns a push, with the commits before and after', () => {
    const payload = { ref: 'refs/heads/env/dev-next', before: 'a1', after: 'b2', repository };
    expect(parse('push', payload)).toEqual({
      kind: 'push',
      delivery: 'd-1',
      repository: { owner: 'acme', name: 'web' },
      refs: [{ ref: 'refs/heads/env/dev-next', before: 'a1', after: 'b2' }],
    });
  });

  test('returns the first push of a ref, and its deletion', () => {
    const payload = { ref: 'refs/notes/hydrator.metadata', before: zeros, after: 'b2', repository };
    expect(parse('push', payload).refs).toEqual([{ ref: payload.ref, before: undefined, after: 'b2' }]);
    const gone = { ...payload, before: 'b2', after: zeros };
    expect(parse('push', gone).refs).toEqual([{ ref: payload.ref, before: 'b2', after: undefined }]);
  });

  test.each([
    [
      'pull_request',
      { pull_request: { number: 7, head: { sha: 'c3' } } },
      { kind: 'pullRequest', pullRequest: 7 },
    ],
    ['pull_request_review', { pull_request: { number: 7, head: { sha: 'c3' } } }, { kind: 'pullRequest' }],
    ['check_run', { check_run: { head_sha: 'c3' } }, { kind: 'commitStatus' }],
    ['check_suite', { check_suite: { head_sha: 'c3' } }, { kind: 'commitStatus' }],
    ['status', { sha: 'c3' }, { kind: 'commitStatus' }],
  ])('returns %s with its commit', (event, payload, expected) => {
    expect(parse(event, { ...payload, repository })).toMatchObject({ ...expected, sha: 'c3', refs: [] });
  });

  test.each([
    ['other', { action: 'edited', changes: { body: { from: 'old' } } }],
    ['other', { action: 'edited', changes: { title: { from: 'old' }, body: { from: 'old' } } }],
    ['other', { action: 'labeled', label: { name: 'urgent' } }],
    ['pullRequest', { action: 'edited', changes: { base: { ref: { from: 'main' } } } }],
    [
      'pullRequest',
      { action: 'edited', changes: { title: { from: 'old' }, base: { ref: { from: 'main' } } } },
    ],
    ['pullRequest', { action: 'edited' }],
    ['pullRequest', { action: 'closed' }],
    ['pullRequest', { action: 'reopened' }],
    ['pullRequest', { action: 'synchronize' }],
    ['pullRequest', { action: 'ready_for_review' }],
    ['pullRequest', { action: 'dequeued' }],
  ])('returns %s for an event about a pull request with %j', (kind, payload) => {
    const pull_request = { number: 7, head: { sha: 'c3' } };
    expect(parse('pull_request', { ...payload, pull_request, repository }).kind).toBe(kind);
  });

  test('returns a ping of an organization and an unknown event as other', () => {
    expect(parse('ping', { zen: 'x' })).toMatchObject({ kind: 'ping', repository: undefined });
    expect(parse('brand_new', { repository })).toMatchObject({ kind: 'other', refs: [] });
  });

  test.each(['', 'payload=%7B%7D', '[]', 'null', '7'])('refuses the body %j', (body) => {
    expect(() => parse('push', body)).toThrow(expect.objectContaining({ type: 'Invalid' }));
  });

  test('refuses a delivery without its event, and a push without a ref', () => {
    expect(() => githubWebhook.parse({}, Buffer.from('{}'))).toThrow(/X-GitHub-Event/);
    expect(() => parse('push', { repository })).toThrow(/does not name a ref/);
  });

  test('parses any JSON, or throws Invalid', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.constantFrom('push', 'pull_request', 'status', 'check_run'),
        (value, event) => {
          try {
            parse(event, value);
          } catch (error) {
            expect(error).toMatchObject({ type: 'Invalid' });
          }
        },
      ),
    );
  });
});

describe('concerns', () => {
  const event = parse('push', { ref: 'refs/heads/main', repository });

  test('matches only its own repository, ignoring case', () => {
    expect(githubWebhook.concerns(event, { owner: 'Acme', name: 'WEB' })).toBe(true);
    expect(githubWebhook.concerns(event, { owner: 'acme', name: 'web2' })).toBe(false);
    expect(githubWebhook.concerns(parse('ping', {}), { owner: 'acme', name: 'web' })).toBe(false);
  });
});
