import { createHmac, randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { gitlabWebhook } from './webhook.js';

const now = Date.parse('2026-01-01T00:00:00Z');
const webhook = gitlabWebhook(() => now);
const project = { id: 42, path_with_namespace: 'acme/platform/web' };
const repository = { owner: 'acme/platform', name: 'web', id: 42 };
const parse = (payload: unknown, headers: Record<string, string> = { 'x-gitlab-event': 'x' }) =>
  webhook.parse(headers, Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload)));

describe('verify, with a secret token', () => {
  const body = Buffer.from('{}');

  test('accepts only the token', () => {
    expect(webhook.verify({ 'x-gitlab-token': 's3cret' }, body, 's3cret')).toBe(true);
    for (const token of ['', 's3cre', 's3cret ', 'S3cret', 's3crets']) {
      expect(webhook.verify({ 'x-gitlab-token': token }, body, 's3cret')).toBe(false);
    }
    expect(webhook.verify({}, body, 's3cret')).toBe(false);
  });

  test('refuses an empty secret', () => {
    expect(webhook.verify({ 'x-gitlab-token': '' }, body, '')).toBe(false);
    expect(webhook.verify({}, body, '')).toBe(false);
  });
});

describe('verify, with a signing token', () => {
  const body = Buffer.from('{"object_kind":"push"}');
  const key = randomBytes(32);
  const secret = `whsec_${key.toString('base64')}`;
  const headers = (at = now, id = 'd-1', signed: Buffer = body) => {
    const seconds = String(at / 1000);
    const hmac = createHmac('sha256', key).update(`${id}.${seconds}.`).update(signed).digest('base64');
    return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': `v1,${hmac}` };
  };

  test('accepts the signature, even among others', () => {
    expect(webhook.verify(headers(), body, secret)).toBe(true);
    const several = { ...headers(), 'webhook-signature': `v1,xyz ${headers()['webhook-signature']}` };
    expect(webhook.verify(several, body, secret)).toBe(true);
  });

  test.each([
    ['the signature of another body', { ...headers(now, 'd-1', Buffer.from('{}')) }],
    ['the signature of another id', { ...headers(), 'webhook-id': 'd-2' }],
    ['the signature of another time', { ...headers(), 'webhook-timestamp': String(now / 1000 + 1) }],
    ['an old delivery that is sent again', headers(now - 301_000)],
    ['a delivery from the future', headers(now + 301_000)],
    [
      'a signature of another version',
      { ...headers(), 'webhook-signature': headers()['webhook-signature'].replace('v1', 'v2') },
    ],
    ['an empty signature', { ...headers(), 'webhook-signature': '' }],
    ['a delivery without an id', { ...headers(), 'webhook-id': undefined }],
    ['the secret as a token', { 'x-gitlab-token': secret }],
  ])('refuses %s', (_, given) => {
    expect(webhook.verify(given, body, secret)).toBe(false);
  });

  test('refuses an empty key', () => {
    const hmac = createHmac('sha256', '')
      .update(`d-1.${now / 1000}.`)
      .update(body)
      .digest('base64');
    const given = { ...headers(), 'webhook-signature': `v1,${hmac}` };
    expect(webhook.verify(given, body, 'whsec_')).toBe(false);
  });
});

describe('parse', () => {
  const [before, after] = ['a'.repeat(40), 'b'.repeat(40)];
  const none = '0'.repeat(40);

  test.each([
    ['push', before, after, { before, after }],
    ['push', none, after, { before: undefined, after }],
    ['tag_push', before, none, { before, after: undefined }],
  ])('returns a %s event from %s to %s', (object_kind, from, to, moved) => {
    const ref = 'refs/heads/main';
    expect(parse({ object_kind, ref, before: from, after: to, project })).toMatchObject({
      kind: 'push',
      repository,
      refs: [{ ref, ...moved }],
    });
  });

  test('returns merge requests, pipelines and jobs', () => {
    const object_attributes = { iid: 7, last_commit: { id: after } };
    expect(parse({ object_kind: 'merge_request', project, object_attributes })).toMatchObject({
      kind: 'pullRequest',
      pullRequest: 7,
      sha: after,
      refs: [],
    });
    const pipeline = {
      object_kind: 'pipeline',
      project,
      object_attributes: { sha: after },
      merge_request: { iid: 7 },
    };
    expect(parse(pipeline)).toMatchObject({ kind: 'commitStatus', sha: after, pullRequest: 7 });
    expect(parse({ object_kind: 'build', project, sha: after })).toMatchObject({
      kind: 'commitStatus',
      sha: after,
    });
  });

  test.each([
    ['other', { action: 'update' }, { description: {}, updated_at: {} }],
    ['other', { action: 'update' }, { labels: {} }],
    ['pullRequest', { action: 'update' }, { title: {}, draft: {} }],
    ['pullRequest', { action: 'update' }, { target_branch: {} }],
    ['pullRequest', { action: 'update', oldrev: before }, { updated_at: {} }],
    ['pullRequest', { action: 'update' }, {}],
    ['pullRequest', { action: 'approved' }, {}],
    ['pullRequest', { action: 'close' }, { state_id: {}, updated_at: {} }],
  ])(
    'returns %s for an event about a merge request with %j and the changes %j',
    (kind, attributes, changes) => {
      const object_attributes = { iid: 7, ...attributes };
      expect(parse({ object_kind: 'merge_request', project, object_attributes, changes }).kind).toBe(kind);
    },
  );

  test('returns the id of the delivery', () => {
    const headers = { 'x-gitlab-event': 'Push Hook', 'idempotency-key': 'd-1' };
    expect(parse({ object_kind: 'note', project }, headers)).toMatchObject({
      kind: 'other',
      delivery: 'd-1',
    });
  });

  test.each([
    ['not JSON', 'payload=1'],
    ['a body that is a list', '[]'],
    ['a push without a ref', '{"object_kind":"push"}'],
  ])('refuses %s', (_, body) => {
    expect(() => parse(body)).toThrow(expect.objectContaining({ type: 'Invalid' }));
  });

  test('refuses a delivery without the header of GitLab', () => {
    expect(() => parse('{}', {})).toThrow('X-Gitlab-Event');
  });

  test.each([{}, { project: {} }, { project: { path_with_namespace: 'web' } }, { project: 7 }])(
    'returns no repository for %j, which does not name one',
    (payload) => {
      const event = parse(payload);
      expect(event.repository).toBeUndefined();
      expect(webhook.concerns(event, { namespace: 'acme', name: 'web' })).toBe(false);
    },
  );
});

describe('concerns', () => {
  const event = parse({ object_kind: 'merge_request', project });

  test.each([
    [{ namespace: 'acme/platform', name: 'web' }, true],
    [{ namespace: 'ACME/Platform', name: 'Web' }, true],
    [{ namespace: 'acme', name: 'web' }, false],
    [{ namespace: 'acme/platform', name: 'api' }, false],
    [{ namespace: 'moved', name: 'away', projectID: 42 }, true],
    [{ namespace: 'acme/platform', name: 'web', projectID: 43 }, false],
  ])('evaluates the repository %j to %s', (section, expected) => {
    expect(webhook.concerns(event, section)).toBe(expected);
  });
});
