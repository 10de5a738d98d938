import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { GiteaForge } from '../testing/gitea-forge.js';
import { GiteaActions } from '../testing/gitea-actions.js';
import { ScriptedServer } from '../testing/scripted-server.js';
import type { WebhookEvent } from '../webhook.js';
import { giteaWebhook } from './webhook.js';
import { useForge } from '../testing/use-forge.js';

const secret = 'of-the-test';
const gitea = useForge(() => GiteaForge.start((section) => ({ gitea: section })));
let receiver: ScriptedServer;

beforeEach(async () => {
  receiver = await ScriptedServer.start(() => ({}));
});
afterEach(() => receiver.close());

test.each(['gitea', 'forgejo'] as const)('parses deliveries of %s', async (protocol) => {
  const tenant = await gitea().tenant();
  const { owner, name, fullName } = tenant.repository;
  await gitea().forge.createHook({ owner, name, protocol, url: receiver.url, secret });
  const user = new GiteaActions(tenant);
  await user.commit('main');
  const base = await user.commit('env/dev');
  const head = await user.commit('env/dev-next');
  const pullRequest = await user.open('env/dev-next', 'env/dev');
  const status = { state: 'success', context: 'health' };
  await tenant.user.ask('POST', `/repos/${fullName}/statuses/${head}`, status);
  await user.close(pullRequest);
  await gitea().forge.hooks.idle();

  const webhook = giteaWebhook('spec.gitea');
  const events: WebhookEvent[] = receiver.seen.map(({ headers, body }) => {
    const bytes = Buffer.from(body);
    expect(webhook.verify(headers, bytes, secret)).toBe(true);
    expect(webhook.verify(headers, bytes, 'another')).toBe(false);
    const event = webhook.parse(headers, bytes);
    expect(webhook.concerns(event, { owner, name })).toBe(true);
    return event;
  });
  expect(events.flatMap(({ refs }) => refs)).toEqual(
    expect.arrayContaining([
      { ref: 'refs/heads/env/dev', before: undefined, after: base },
      { ref: 'refs/heads/env/dev-next', before: undefined, after: head },
    ]),
  );
  const pulls = events.filter(({ kind }) => kind === 'pullRequest');
  expect(pulls).toHaveLength(2);
  for (const event of pulls) expect(event).toMatchObject({ pullRequest, sha: head });
  expect(events.filter(({ kind }) => kind === 'commitStatus')).toMatchObject([{ sha: head }]);
});
