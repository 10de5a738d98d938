import { createHmac, randomBytes } from 'node:crypto';
import { afterEach, expect, test } from '@jest/globals';
import { branch, closeAll, git } from '../testing/forge.js';
import { gitlabSandbox } from '../testing/gitlab.js';
import { receiver, type Received } from '../testing/receiver.js';

afterEach(closeAll);

const token = 'hook-token';
const signing_token = `whsec_${randomBytes(32).toString('base64')}`;

async function hooked() {
  const base = await gitlabSandbox({ webhookRetryDelaysMs: [] });
  const target = await receiver('');
  const wanted = {
    url: target.url,
    token,
    signing_token,
    merge_requests_events: true,
    pipeline_events: true,
  };
  const { body, status } = await base.ask('POST', `${base.project}/hooks`, wanted, {
    token: base.tokens.admin,
  });
  expect(status).toBe(201);
  return { ...base, target, hook: body as { id: number } };
}

test('deliveries contain the token and the signature, and responses do not', async () => {
  const { target, clone, forge, hook } = await hooked();
  expect(hook).toMatchObject({ push_events: true, tag_push_events: false, token_present: true });
  expect(JSON.stringify(hook)).not.toContain(token);
  expect(JSON.stringify(hook)).not.toContain('whsec_');
  await branch(clone, 'one', { 'x.txt': '1' });
  await forge.hooks.idle();
  const [{ headers, body }] = target.received as [Received];
  expect(headers).toMatchObject({
    'x-gitlab-event': 'Push Hook',
    'x-gitlab-token': token,
    'x-gitlab-instance': forge.url,
    'idempotency-key': headers['webhook-id'],
  });
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  const key = Buffer.from(signing_token.slice('whsec_'.length), 'base64');
  const hmac = createHmac('sha256', key).update(signed).digest('base64');
  expect(headers['webhook-signature']).toBe(`v1,${hmac}`);
});

test('pushes, merge requests and pipelines are delivered, and other events are not', async () => {
  const { target, clone, forge, ask, project, repository } = await hooked();
  const sha = await git(clone, 'rev-parse', 'feature');
  await git(clone, 'tag', 'v1');
  await git(clone, 'push', '--quiet', 'origin', 'v1');
  const wanted = { source_branch: 'feature', target_branch: 'main', title: 'Feature' };
  await ask('POST', `${project}/merge_requests`, wanted);
  await ask('POST', `${project}/statuses/${sha}`, { state: 'running', name: 'gate' });
  await ask('PUT', `${project}/merge_requests/1`, { title: 'Better' });
  await ask('PUT', `${project}/merge_requests/1/merge`);
  await forge.hooks.idle();
  const bodies = target.received.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  const at = { id: repository.id, path_with_namespace: 'acme/platform/web' };
  for (const body of bodies) expect(body).toMatchObject({ project: at });
  expect(bodies).toMatchObject([
    { object_kind: 'merge_request', object_attributes: { iid: 1, action: 'open', last_commit: { id: sha } } },
    {
      object_kind: 'pipeline',
      object_attributes: { sha, status: 'running', ref: 'feature' },
      merge_request: { iid: 1 },
      builds: [{ name: 'gate', status: 'running' }],
    },
    { object_attributes: { action: 'update', title: 'Better' }, changes: { title: { previous: 'Feature' } } },
    { object_attributes: { action: 'merge', state: 'merged' }, user: { username: 'dev' } },
    { object_kind: 'push', ref: 'refs/heads/main', user_username: 'dev' },
  ]);
});

test('maintainers can change, list and delete a hook, which can only refer to the local machine', async () => {
  const { ask, project, hook, target, tokens } = await hooked();
  const admin = { token: tokens.admin };
  const one = `${project}/hooks/${hook.id}`;
  expect((await ask('GET', one)).status).toBe(403);
  expect(await ask('PUT', one, { push_events: false }, admin)).toMatchObject({
    body: { push_events: false, pipeline_events: true, url: target.url, token_present: true },
  });
  for (const wanted of [{ url: 'http://example.com/' }, { url: target.url, signing_token: 'short' }]) {
    expect((await ask('POST', `${project}/hooks`, wanted, admin)).status).toBe(422);
  }
  expect((await ask('GET', `${project}/hooks`, undefined, admin)).body).toHaveLength(1);
  expect((await ask('DELETE', one, undefined, admin)).status).toBe(204);
  expect((await ask('GET', one, undefined, admin)).status).toBe(404);
});
