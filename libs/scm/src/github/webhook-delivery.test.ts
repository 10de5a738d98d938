import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { WebhookEvent } from '../webhook.js';
import { expectPushesAndPullRequests } from '../testing/deliveries.js';
import { openGithubFixture, type GithubContractFixture } from '../testing/github-contract.js';
import { GithubForge, type CredentialKind } from '../testing/github-forge.js';
import { ScriptedServer } from '../testing/scripted-server.js';
import { githubWebhook } from './webhook.js';
import { useForge } from '../testing/use-forge.js';

const secret = 'of-the-test';
const github = useForge(() => GithubForge.start());
let receiver: ScriptedServer;
let fixture: GithubContractFixture;

beforeEach(async () => {
  receiver = await ScriptedServer.start(() => ({}));
});
afterEach(async () => {
  await fixture.close();
  await receiver.close();
});

async function begin(kind: CredentialKind): Promise<void> {
  fixture = await openGithubFixture(github(), kind);
  const { owner, name } = fixture.tenant.repository;
  await github().forge.createHook({ owner, name, url: receiver.url, secret });
}

/** Returns the deliveries until now, in order of arrival. */
async function delivered(): Promise<WebhookEvent[]> {
  await github().forge.hooks.idle();
  return receiver.seen.map(({ headers, body }) => {
    const bytes = Buffer.from(body);
    expect(githubWebhook.verify(headers, bytes, secret)).toBe(true);
    expect(githubWebhook.verify(headers, bytes, 'another')).toBe(false);
    const event = githubWebhook.parse(headers, bytes);
    const { owner } = fixture.tenant.repository;
    expect(githubWebhook.concerns(event, fixture.tenant.gitRepository.spec.github)).toBe(true);
    expect(githubWebhook.concerns(event, { owner, name: 'other' })).toBe(false);
    return event;
  });
}

test('parses pushes and pull requests as they are delivered', async () => {
  await begin('app');
  await expectPushesAndPullRequests(fixture, delivered);
});

test.each(['app', 'token'] as const)(
  'parses statuses of the plugin (%s) as they are delivered',
  async (kind) => {
    await begin(kind);
    const sha = await fixture.commit('env/dev');
    await fixture.repository.ensureCommitStatus({ sha, name: 'health', phase: 'success' });
    const events = await delivered();
    expect(events.filter((event) => event.kind === 'commitStatus')).toEqual(
      expect.arrayContaining([expect.objectContaining({ sha, refs: [] })]),
    );
  },
);
