import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { giteaWebhook } from './webhook.js';

const webhook = giteaWebhook('spec.gitea');
const secret = 'of-the-test';
const before = 'a'.repeat(40);
const after = 'b'.repeat(40);
const none = '0'.repeat(40);
const repository = { name: 'web', owner: { login: 'acme' } };
const bodyOf = (payload: object): Buffer => Buffer.from(JSON.stringify({ repository, ...payload }));
const sign = (body: Buffer, key = secret): string => createHmac('sha256', key).update(body).digest('hex');

describe('verify', () => {
  const body = bodyOf({});
  test.each([
    [true, { 'x-gitea-signature': sign(body) }, secret],
    [true, { 'x-forgejo-signature': sign(body) }, secret],
    [true, { 'x-forgejo-signature': sign(body), 'x-gitea-signature': 'odd' }, secret],
    [false, { 'x-gitea-signature': sign(body, 'other') }, secret],
    [false, { 'x-gitea-signature': sign(bodyOf({ more: 1 })) }, secret],
    [false, { 'x-gitea-signature': `sha256=${sign(body)}` }, secret],
    [false, { 'x-gitea-signature': sign(body, '') }, ''],
    [false, {}, secret],
  ])('returns %s for the headers %j', (good, headers, key) => {
    expect(webhook.verify(headers, body, key)).toBe(good);
  });
});

describe('parse', () => {
  const at = (event: string, payload: object) =>
    webhook.parse({ 'x-gitea-event': event, 'x-gitea-delivery': 'd1' }, bodyOf(payload));

  test('returns a push, with the refs that it moved', () => {
    expect(at('push', { ref: 'refs/heads/main', before, after })).toEqual({
      kind: 'push',
      delivery: 'd1',
      repository: { owner: 'acme', name: 'web' },
      refs: [{ ref: 'refs/heads/main', before, after }],
    });
    expect(at('push', { ref: 'refs/heads/new', before: none, after }).refs).toEqual([
      { ref: 'refs/heads/new', before: undefined, after },
    ]);
  });

  test.each(['pull_request', 'pull_request_sync', 'pull_request_review_approved'])(
    'returns %s as an event about a pull request',
    (event) => {
      const payload = { pull_request: { number: 7, head: { sha: after } } };
      expect(at(event, payload)).toMatchObject({ kind: 'pullRequest', pullRequest: 7, sha: after, refs: [] });
    },
  );

  test.each([
    ['other', { action: 'edited', changes: { body: { from: 'old' } } }],
    ['other', { action: 'label_updated' }],
    ['pullRequest', { action: 'edited', changes: { ref: { from: 'main' } } }],
    ['pullRequest', { action: 'edited' }],
    ['pullRequest', { action: 'closed' }],
    ['pullRequest', { action: 'synchronized' }],
    ['pullRequest', { action: 'reviewed' }],
  ])('returns %s for an event about a pull request with %j', (kind, payload) => {
    expect(at('pull_request', { ...payload, pull_request: { number: 7 } }).kind).toBe(kind);
  });

  test('returns a status, with the commit', () => {
    expect(at('status', { sha: after })).toMatchObject({ kind: 'commitStatus', sha: after });
  });

  test('prefers the headers of Forgejo', () => {
    const headers = { 'x-forgejo-event': 'push', 'x-gitea-event': 'other', 'x-forgejo-delivery': 'd2' };
    const event = webhook.parse(headers, bodyOf({ ref: 'refs/heads/main', before, after }));
    expect(event).toMatchObject({ kind: 'push', delivery: 'd2' });
  });

  test('returns unknown events as other, and reports malformed events as Invalid', () => {
    expect(at('wiki', {})).toMatchObject({ kind: 'other', refs: [] });
    expect(() => at('push', {})).toThrow(/does not name a ref/);
    expect(() => webhook.parse({}, bodyOf({}))).toThrow(/X-Gitea-Event is missing/);
    expect(() => webhook.parse({ 'x-gitea-event': 'push' }, Buffer.from('['))).toThrow(/JSON/);
  });
});

test('concerns the repository that the event names, ignoring case', () => {
  const event = webhook.parse({ 'x-gitea-event': 'status' }, bodyOf({ sha: after }));
  expect(webhook.concerns(event, { owner: 'Acme', name: 'WEB' })).toBe(true);
  expect(webhook.concerns(event, { owner: 'acme', name: 'web2' })).toBe(false);
  expect(webhook.concerns({ ...event, repository: undefined }, { owner: 'acme', name: 'web' })).toBe(false);
});
