import { GitOpsResponderConfig } from '@interlock/api';
import { Secret } from '@interlock/kube';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { configNamespace } from './harness/responder-process.js';
import { World } from './harness/world.js';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.close());

const key = { name: 'default', namespace: configNamespace };

async function secret(name: string, stringData: Record<string, string>): Promise<void> {
  const metadata = { name, namespace: configNamespace };
  await world.platform.client.apply(Secret, { metadata, stringData }, { fieldManager: 'team' });
}

it('says as whom the SCM knows it, and what it cannot reach, without the credential', async () => {
  const app = await world.target({ 'a.txt': 'a\n' });
  const gitlab = await world.target({ 'a.txt': 'a\n' }, 'gitlab');
  await secret('wrong', { token: 'glpat-canary-of-the-test' });
  const unreachable = { ...gitlab.provider, credentialsRef: { name: 'wrong' } };
  const status = await world.configure({ routes: [app.route(), gitlab.route({ provider: unreachable })] });
  expect(status.providers).toEqual([
    { kind: 'github-app', repository: app.fullName, identity: app.login, reachable: true },
    { kind: 'gitlab', repository: gitlab.fullName, reachable: false, message: expect.stringMatching(/401/) },
  ]);
  expect(status.conditions).toContainEqual(
    expect.objectContaining({ type: 'ProvidersReachable', status: 'False', reason: 'Unreachable' }),
  );
  expect(status.conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }));
  expect(JSON.stringify([status, world.responder.log])).not.toContain('canary');

  await secret('wrong', gitlab.secret);
  await world.responder.rest();
  const { status: later } = await world.platform.client.get(GitOpsResponderConfig, key);
  expect(later?.providers?.map(({ reachable }) => reachable)).toEqual([true, true]);
});

it('uses a personal token of GitHub, by the name that the reference gives its key', async () => {
  const target = await world.target({ 'a.txt': 'a\n' });
  await secret('pat', { GITHUB_TOKEN: target.person.user.token });
  const { appCredentialsRef: _, ...rest } = target.provider;
  await world.route(
    target.route({ provider: { ...rest, kind: 'github-pat', credentialsRef: { name: 'pat' } } }),
  );
  const name = await world.respond(target.actionRef, { path: 'a.txt', contents: 'b\n' });
  const status = await world.statusIs(name, ({ phase }) => expect(phase).toBe('Succeeded'));
  expect(status.route?.provider).toBe('github-pat');
  expect(await target.pulls()).toHaveLength(1);
});
