import { createHmac } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { giteaWebhook } from './gitea/webhook.js';
import { githubWebhook } from './github/webhook.js';
import { gitlabWebhook } from './gitlab/webhook.js';
import { receiveWebhook, type WebhookDelivery } from './receive.js';
import { carriesSignature, silentWebhook, type WebhookReceiver } from './webhook.js';

const secret = 'of-the-test';
const github = { name: 'github', webhook: githubWebhook };
const gitlab = { name: 'gitlab', webhook: gitlabWebhook(() => 0) };
const gitea = { name: 'gitea', webhook: giteaWebhook('spec.gitea') };
const all = [github, gitlab, gitea];

const pull = {
  pull_request: { number: 7 },
  object_kind: 'merge_request',
  object_attributes: { iid: 7 },
  repository: { name: 'web', owner: { login: 'acme' } },
  project: { path_with_namespace: 'acme/web' },
};

function delivery(headers: WebhookDelivery['headers'], payload: unknown = pull): WebhookDelivery {
  return { headers, body: Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload)) };
}

function signed(event: string, payload?: unknown, key = secret): WebhookDelivery {
  const unsigned = delivery({}, payload);
  const hmac = createHmac('sha256', key).update(unsigned.body).digest('hex');
  return { ...unsigned, headers: { 'x-github-event': event, 'x-hub-signature-256': `sha256=${hmac}` } };
}

function ofGitea(): WebhookDelivery {
  const unsigned = delivery({});
  const hmac = createHmac('sha256', secret).update(unsigned.body).digest('hex');
  return { ...unsigned, headers: { 'x-gitea-event': 'pull_request', 'x-gitea-signature': hmac } };
}

const ofGitlab = delivery({ 'x-gitlab-event': 'Merge Request Hook', 'x-gitlab-token': secret });

it.each<[string, WebhookDelivery, object]>([
  ['github', signed('pull_request'), github],
  ['gitlab', ofGitlab, gitlab],
  ['gitea', ofGitea(), gitea],
])('parses an event with the plugin whose signature matches: %s', (_, given, plugin) => {
  const read = expect.objectContaining({
    kind: 'pullRequest',
    pullRequest: 7,
    repository: { owner: 'acme', name: 'web' },
  });
  expect(receiveWebhook(all, given, secret, ['pullRequest'])).toEqual({ plugin, event: read });
});

const push = { ref: 'refs/heads/main' };

it.each<[string, readonly { webhook: WebhookReceiver }[], WebhookDelivery, string, number, RegExp]>([
  ['a signature with another secret', all, signed('pull_request', pull, 'guessed'), secret, 401, /signature/],
  [
    'a delivery without a signature',
    all,
    delivery({ 'x-github-event': 'pull_request' }),
    secret,
    401,
    /signature/,
  ],
  ['a delivery without a configured secret', all, signed('pull_request', pull, ' '), '', 401, /signature/],
  ['an empty token of GitLab', all, delivery({ 'x-gitlab-token': '' }), '', 401, /signature/],
  ['the signature of another SCM', [gitlab, gitea], signed('pull_request'), secret, 401, /signature/],
  ['a delivery that no plugin can verify', [], signed('pull_request'), secret, 401, /signature/],
  [
    'malformed JSON with the signature of another secret',
    all,
    signed('push', 'payload=1', 'guessed'),
    secret,
    401,
    /signature/,
  ],
  ['malformed JSON', all, signed('push', 'payload=1'), secret, 400, /JSON/],
  ['a push without a ref', all, signed('push', {}), secret, 400, /does not name a ref/],
  [
    'a delivery without an event',
    [gitlab],
    delivery({ 'x-gitlab-token': secret }),
    secret,
    400,
    /X-Gitlab-Event/,
  ],
  ['a ping', all, signed('ping', {}), secret, 200, /nothing/],
  ['an event that is not handled', all, signed('push', push), secret, 200, /nothing/],
  ['an unknown event', all, signed('star', {}), secret, 200, /nothing/],
])('does not act on %s', (_, plugins, given, key, code, message) => {
  expect(receiveWebhook(plugins, given, key, ['pullRequest'])).toEqual({
    answer: { code, message: expect.stringMatching(message) },
  });
});

it.each<[string, WebhookReceiver, WebhookDelivery['headers'], boolean]>([
  ['GitHub with a signature', githubWebhook, { 'x-hub-signature-256': 'sha256=00' }, true],
  ['GitHub with an empty signature', githubWebhook, { 'x-hub-signature-256': '' }, false],
  ['GitHub with the token of GitLab', githubWebhook, { 'x-gitlab-token': 'x' }, false],
  ['GitLab with a token', gitlab.webhook, { 'x-gitlab-token': 'x' }, true],
  ['GitLab with a signing token', gitlab.webhook, { 'webhook-signature': 'v1,x' }, true],
  ['Gitea with its signature', gitea.webhook, { 'x-gitea-signature': 'x' }, true],
  ['Gitea with the signature of Forgejo', gitea.webhook, { 'x-forgejo-signature': 'x' }, true],
  ['an SCM without webhooks', silentWebhook, { 'x-hub-signature-256': 'sha256=00' }, false],
  ['a plugin that does not name its header', { ...githubWebhook, signatureHeaders: undefined }, {}, true],
])('detects by the headers whether a delivery may be signed: %s', (_, webhook, headers, expected) => {
  expect(carriesSignature(webhook, headers)).toBe(expected);
});

it('does not hide an error of a plugin', () => {
  const parse = (): never => {
    throw new RangeError('a mistake');
  };
  const broken = { webhook: { ...githubWebhook, parse } };
  expect(() => receiveWebhook([broken], signed('push', push), secret, ['push'])).toThrow('a mistake');
});
