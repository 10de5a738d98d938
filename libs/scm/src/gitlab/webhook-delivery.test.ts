import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { WebhookEvent } from '../webhook.js';
import { openGitlabWorld, type GitlabWorld } from '../testing/gitlab-contract.js';
import { GitlabForge } from '../testing/gitlab-forge.js';
import { ScriptedServer } from '../testing/scripted-server.js';
import { gitlabWebhook } from './webhook.js';

const token = 'of-the-test';
const signingToken = `whsec_${randomBytes(32).toString('base64')}`;
let gitlab: GitlabForge;
let receiver: ScriptedServer;
let world: GitlabWorld;

beforeAll(async () => {
  gitlab = await GitlabForge.start();
});
afterAll(() => gitlab.close());
beforeEach(async () => {
  receiver = await ScriptedServer.start(() => ({}));
  world = await openGitlabWorld(gitlab);
  const { owner, name } = world.tenant.repository;
  const hook = { owner, name, url: receiver.url, secret: token, signingToken };
  await gitlab.forge.createHook({ ...hook, face: 'gitlab' });
});
afterEach(async () => {
  await world.close();
  await receiver.close();
});

/** @returns what was delivered until now, in the order in which it came. */
async function delivered(): Promise<WebhookEvent[]> {
  await gitlab.forge.hooks.idle();
  const webhook = gitlabWebhook(() => gitlab.clock.now());
  const { gitRepository, repository } = world.tenant;
  return receiver.seen.map(({ headers, body }) => {
    const bytes = Buffer.from(body);
    for (const secret of [token, signingToken]) {
      expect(webhook.verify(headers, bytes, secret)).toBe(true);
      expect(webhook.verify(headers, bytes, `${secret}x`.replace('whsec_', 'whsec_AAAA'))).toBe(false);
    }
    const event = webhook.parse(headers, bytes);
    expect(webhook.concerns(event, gitRepository.spec.gitlab)).toBe(true);
    expect(webhook.concerns(event, { namespace: repository.owner, name: 'other' })).toBe(false);
    expect(webhook.concerns(event, { namespace: 'x', name: 'y', projectID: repository.id })).toBe(true);
    return event;
  });
}

test('pushes and merge requests are understood as they are delivered', async () => {
  const base = await world.commit('env/dev');
  const head = await world.commit('env/dev-next');
  const pullRequest = await world.open('env/dev-next', 'env/dev');
  const moved = await world.commit('env/dev-next');
  await world.closePullRequest(pullRequest);
  const events = await delivered();
  const refs = events.filter(({ kind }) => kind === 'push').flatMap((event) => event.refs);
  expect(refs).toEqual(
    expect.arrayContaining([
      { ref: 'refs/heads/env/dev', before: undefined, after: base },
      { ref: 'refs/heads/env/dev-next', before: undefined, after: head },
      { ref: 'refs/heads/env/dev-next', before: head, after: moved },
    ]),
  );
  const requests = events.filter(({ kind }) => kind === 'pullRequest');
  expect(requests.map(({ sha }) => sha)).toEqual(expect.arrayContaining([head, moved]));
  for (const event of requests) expect(event).toMatchObject({ pullRequest, delivery: expect.any(String) });
});

test('statuses of the plugin are understood as they are delivered', async () => {
  const sha = await world.commit('env/dev');
  await world.repository.ensureCommitStatus({ sha, name: 'health', phase: 'success' });
  const events = await delivered();
  expect(events.filter((event) => event.kind === 'commitStatus')).toEqual([
    expect.objectContaining({ sha, refs: [] }),
  ]);
});
