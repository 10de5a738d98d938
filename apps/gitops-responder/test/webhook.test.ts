import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { annotations, EventResponse } from '@interlock/api';
import { deliverGithub, firstLineOf } from '@interlock/forge';
import { Secret } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { createLogger, startServer, type RunningServer } from '@interlock/service';
import type { ScmName } from '@interlock/stack';
import { webhookRoutes } from '../src/webhook/server.js';
import { configNamespace } from './harness/responder-process.js';
import type { Target } from './harness/target.js';
import { Fixture } from './harness/fixture.js';

const secret = 'of-the-test';
let fixture: Fixture;
let server: RunningServer;

beforeAll(async () => {
  /* Only a webhook makes the responder read again. */
  fixture = await Fixture.start({ pollIntervalMs: 7 * 24 * 60 * 60_000 });
  server = await startServer(
    {
      name: 'webhooks',
      address: { host: '127.0.0.1', port: 0 },
      routes: webhookRoutes(fixture.responder.webhooks),
    },
    createLogger({ component: 'webhooks', level: 'error' }),
  );
});
afterAll(async () => {
  await server.close();
  await fixture.close();
});

const urlOf = (name: string): string => `http://127.0.0.1:${server.port}/webhooks/${name}`;

/** Adds a key to the credential of a target, or creates a Secret of another name. */
async function addKey(key: string, value: string, name: string): Promise<void> {
  const metadata = { name, namespace: configNamespace };
  await fixture.platform.client.apply(
    Secret,
    { metadata, stringData: { [key]: value } },
    { fieldManager: 'webhooks' },
  );
}

interface Open {
  target: Target;
  /** Name of the response. */
  name: string;
  number: number;
}

/** Waits until the responder knows the open pull request of a response, or knows that it is no longer open. */
function known({ target, number }: Open, phases: readonly string[]): Promise<void> {
  const { requests } = fixture.responder.webhooks;
  return eventually(() =>
    expect(requests.find(target.provider, number).map(({ status }) => status?.phase)).toEqual(phases),
  );
}

/** Returns a response whose pull request is open and known to the responder, which is idle. */
async function openRequest(scm: ScmName = 'github', key = 'webhook-secret'): Promise<Open> {
  const target = await fixture.target({ 'a.txt': 'a\n' }, scm);
  await addKey(key, secret, target.secretName);
  await fixture.route(target.route());
  const name = await fixture.respond(target.actionRef, { path: 'a.txt', contents: 'b\n' });
  const { changeRequest } = await fixture.statusIs(name, ({ phase }) => expect(phase).toBe('Succeeded'));
  const open = { target, name, number: changeRequest?.number ?? 0 };
  await known(open, ['Succeeded']);
  await fixture.responder.rest();
  return open;
}

/** Waits until all deliveries were accepted and handled. */
const rest = (): Promise<void> => fixture.responder.rest(() => fixture.platform.forge.hooks.idle());

/** Waits until earlier writes to responses took effect: the watch delivers them in order. */
async function caughtUp(): Promise<void> {
  const name = await fixture.respond('unrouted', {});
  await fixture.statusIs(name, ({ phase }) => expect(phase).toBe('Pending'));
  await rest();
}

const asked = async (name: string): Promise<string | undefined> =>
  (await fixture.platform.client.get(EventResponse, { name })).metadata.annotations?.[
    annotations.responseRefreshedAt
  ];

interface Delivery {
  /** The secret of the webhook; empty for an unsigned delivery. */
  secret?: string;
  event?: string;
  body?: string;
  /** The Secret in the URL. Default: the Secret of the target. */
  to?: string;
  number?: number;
  repository?: string;
}

/** Delivers an event about a pull request as GitHub does. Returns the status of the response. */
const deliver = async (open: Open, delivery: Delivery = {}): Promise<number> =>
  (await send(open, delivery)).status;

interface Answer {
  status: number;
  text: string;
}

async function send({ target, number }: Open, delivery: Delivery = {}): Promise<Answer> {
  const { event = 'pull_request', to = target.secretName, secret: key = secret } = delivery;
  const [login, name] = (delivery.repository ?? target.fullName).split('/');
  const pull = {
    pull_request: { number: delivery.number ?? number },
    repository: { name, owner: { login } },
  };
  const { body = JSON.stringify(pull) } = delivery;
  return deliverGithub(urlOf(to), { secret: key, event, body });
}

describe.each<[ScmName, string]>([
  ['github', 'webhook-secret'],
  ['gitlab', 'webhookSecret'],
  ['gitea', 'webhook-secret'],
])('a webhook of %s (%s)', (scm, key) => {
  it.each(['merge', 'close'] as const)('reports a decision of a user at once: %s', async (what) => {
    const { target, name, number } = await openRequest(scm, key);
    const [owner = '', repository = ''] = target.fullName.split('/');
    const url = urlOf(target.secretName);
    await fixture.platform.forge.createHook({ owner, name: repository, protocol: scm, url, secret });
    await target.user[what](target.fullName, number);
    const expected = { merge: ['Merged', 'Succeeded'], close: ['Rejected', 'Failed'] }[what];
    await fixture.statusIs(name, ({ stage, phase }) => expect([stage, phase]).toEqual(expected));
  });
});

describe('a webhook', () => {
  it.each<[string, Delivery, number]>([
    ['with another secret', { secret: 'guessed' }, 401],
    ['without a signature', { secret: '' }, 401],
    ['for a Secret that no route names', { to: 'unused' }, 401],
    ['that is not JSON', { body: 'payload=1' }, 400],
    ['that is a ping', { event: 'ping', body: '{}' }, 200],
    ['that is a push', { event: 'push', body: '{"ref": "refs/heads/main"}' }, 200],
    ['of an unknown kind', { event: 'star', body: '{}' }, 200],
    ['about another pull request', { number: 4711 }, 202],
    ['about no pull request', { body: '{}' }, 200],
    ['about another repository', { repository: 'org-0/gitops' }, 202],
  ])('%s changes nothing', async (_what, delivery, status) => {
    const open = await openRequest();
    await addKey('webhook-secret', secret, 'unused');
    await open.target.user.merge(open.target.fullName, open.number);
    const before = await fixture.platform.client.list(EventResponse);
    expect(await deliver(open, delivery)).toBe(status);
    await rest();
    const { items } = await fixture.platform.client.list(EventResponse);
    expect(items).toEqual(before.items);
    expect(await deliver(open)).toBe(202);
    await fixture.statusIs(open.name, ({ stage }) => expect(stage).toBe('Merged'));
  });

  it.each<[string, Delivery]>([
    ['signed with another secret', { secret: 'guessed' }],
    ['not signed', { secret: '' }],
    ['signed with another secret, and large', { secret: 'guessed', body: 'x'.repeat(60 * 1024) }],
  ])('that is %s gets the same response whether a route names its Secret or not', async (_what, delivery) => {
    const target = await fixture.target({ 'a.txt': 'a\n' });
    await addKey('webhook-secret', secret, target.secretName);
    await fixture.route(target.route());
    const open = { target, name: '', number: 1 };
    const known = await send(open, delivery);
    expect(known.status).toBe(401);
    for (const to of ['nowhere', `${target.secretName}s`])
      expect(await send(open, { ...delivery, to })).toEqual(known);
  });

  it('that is not signed is refused before its body has been sent', async () => {
    const target = await fixture.target({ 'a.txt': 'a\n' });
    await fixture.route(target.route());
    const answer = await firstLineOf(urlOf(target.secretName), ['content-length: 1000000']);
    expect(answer).toMatch(/^HTTP\/1.1 401 /);
  });

  it('does not cause a read of a Secret that no route names', async () => {
    const open = await openRequest();
    await addKey('webhook-secret', secret, 'unused');
    const read: string[] = [];
    fixture.platform.cluster.embedded.faults.inject({
      when({ info: { verb, resource } }) {
        if (resource?.plural === 'secrets' && verb === 'get') read.push(resource.name);
        return false;
      },
    });
    for (const to of ['unused', 'nowhere', `${configNamespace}%2Funused`])
      expect(await deliver(open, { to })).toBe(401);
    expect(read).toEqual([]);
    expect(await deliver(open)).toBe(202);
    expect(read).toContain(open.target.secretName);
  });

  it.each<[string, Record<string, string>]>([
    ['lacks the key', {}],
    ['has an empty value for the key', { 'webhook-secret': '' }],
  ])('is refused when the Secret %s', async (_what, keys) => {
    const target = await fixture.target({ 'a.txt': 'a\n' });
    await fixture.route(target.route());
    for (const [key, value] of Object.entries(keys)) await addKey(key, value, target.secretName);
    const open = { target, name: '', number: 1 };
    for (const key of ['', ' ', secret]) expect(await deliver(open, { secret: key })).toBe(401);
    await addKey('webhook-secret', secret, target.secretName);
    await eventually(async () => expect(await deliver(open)).toBe(202));
  });

  it('is refused when the Secret does not exist', async () => {
    const target = await fixture.target({ 'a.txt': 'a\n' });
    await fixture.route(target.route());
    await fixture.platform.client.delete(Secret, { name: target.secretName, namespace: configNamespace });
    expect(await deliver({ target, name: '', number: 1 })).toBe(401);
  });

  it('is refused, as for an unknown Secret, when the Secret has a type without credentials', async () => {
    const target = await fixture.target({ 'a.txt': 'a\n' });
    await fixture.route(target.route());
    const metadata = { name: target.secretName, namespace: configNamespace };
    await fixture.platform.client.delete(Secret, metadata);
    const data = { 'webhook-secret': secret, 'tls.crt': '', 'tls.key': '' };
    await fixture.platform.client.create(Secret, { metadata, type: 'kubernetes.io/tls', stringData: data });
    const open = { target, name: '', number: 1 };
    expect(await deliver(open)).toBe(401);
    expect(await deliver(open, { to: 'unused' })).toBe(401);
  });

  it('causes reads only of the open pull requests of its responder', async () => {
    const [open, merged] = [await openRequest(), await openRequest()];
    const { status } = await fixture.platform.client.get(EventResponse, { name: open.name });
    const theirs = await fixture.respond(open.target.actionRef, {}, { responder: { name: 'another' } });
    await fixture.mark(theirs, status ?? {});
    await merged.target.user.merge(merged.target.fullName, merged.number);
    expect(await deliver(merged)).toBe(202);
    await fixture.statusIs(merged.name, ({ stage }) => expect(stage).toBe('Merged'));
    const before = await asked(merged.name);
    expect(before).toMatch(/^\d{4}-.*Z$/);
    await known(merged, []);

    expect(await deliver(open)).toBe(202);
    expect(await deliver(merged)).toBe(202);
    expect(await asked(open.name)).toMatch(/^\d{4}-.*Z$/);
    expect(await asked(theirs)).toBeUndefined();
    expect(await asked(merged.name)).toBe(before);
  });

  it('may concern any repository whose routes share the Secret, whatever their kind', async () => {
    const [first, second] = [await openRequest(), await openRequest()];
    /* The maximum length of a name. */
    const name = 'shared-'.padEnd(253, 'x');
    const shared = { appCredentialsRef: { name } };
    const { provider } = second.target;
    await addKey('webhook-secret', secret, name);
    const gitlab = { kind: 'gitlab' as const, repository: 'a/b', credentialsRef: { name } };
    await fixture.route(
      { match: { actionRef: 'nobody' }, provider: { ...provider, ...gitlab } },
      first.target.route({ provider: { ...first.target.provider, ...shared } }),
      second.target.route({ provider: { ...provider, ...shared } }),
    );
    for (const open of [first, second]) {
      expect(await asked(open.name)).toBeUndefined();
      expect(await deliver(open, { to: name })).toBe(202);
      expect(await asked(open.name)).toMatch(/^\d{4}-.*Z$/);
    }
  });

  it('causes at most one read for each delivery', async () => {
    const open = await openRequest();
    const { target, number } = open;
    const reads = fixture.platform.forge.faults.add({
      match: { actor: target.login, path: `*/repos/${target.fullName}/pulls/${number}`, method: 'GET' },
      times: 1000,
      latencyMs: 1,
    });
    expect(await deliver(open)).toBe(202);
    await caughtUp();
    expect(reads.hits).toBe(1);
    const answers = await Promise.all(Array.from({ length: 20 }, () => deliver(open)));
    expect(new Set(answers)).toEqual(new Set([202]));
    await caughtUp();
    expect(reads.hits).toBeGreaterThan(1);
    expect(reads.hits).toBeLessThanOrEqual(21);
    expect(await fixture.status(open.name)).toMatchObject({ phase: 'Succeeded', stage: 'Submitted' });
  });
});
