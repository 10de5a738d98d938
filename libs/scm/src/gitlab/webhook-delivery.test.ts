import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { WebhookEvent } from '../webhook.js';
import { expectPushesAndPullRequests } from '../testing/deliveries.js';
import { openGitlabFixture, type GitlabContractFixture } from '../testing/gitlab-contract.js';
import { GitlabForge } from '../testing/gitlab-forge.js';
import { ScriptedServer } from '../testing/scripted-server.js';
import { gitlabWebhook } from './webhook.js';
import { useForge } from '../testing/use-forge.js';

const token = 'of-the-test';
const signingToken = `whsec_${randomBytes(32).toString('base64')}`;
const gitlab = useForge(() => GitlabForge.start());
let receiver: ScriptedServer;
let fixture: GitlabContractFixture;

beforeEach(async () => {
  receiver = await ScriptedServer.start(() => ({}));
  fixture = await openGitlabFixture(gitlab());
  const { owner, name } = fixture.tenant.repository;
  const hook = { owner, name, url: receiver.url, secret: token, signingToken };
  await gitlab().forge.createHook({ ...hook, protocol: 'gitlab' });
});
afterEach(async () => {
  await fixture.close();
  await receiver.close();
});

/** Returns the deliveries until now, in order of arrival. */
async function delivered(): Promise<WebhookEvent[]> {
  await gitlab().forge.hooks.idle();
  const webhook = gitlabWebhook(() => gitlab().clock.now());
  const { gitRepository, repository } = fixture.tenant;
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

test('parses pushes and merge requests as they are delivered', () =>
  expectPushesAndPullRequests(fixture, delivered));

test('parses statuses of the plugin as they are delivered', async () => {
  const sha = await fixture.commit('env/dev');
  await fixture.repository.ensureCommitStatus({ sha, name: 'health', phase: 'success' });
  const events = await delivered();
  expect(events.filter((event) => event.kind === 'commitStatus')).toEqual([
    expect.objectContaining({ sha, refs: [] }),
  ]);
});
