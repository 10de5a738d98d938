import { GitOpsResponderConfig } from '@interlock/api';
import { Secret } from '@interlock/kube';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { configNamespace } from './harness/responder-process.js';
import { Fixture } from './harness/fixture.js';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await Fixture.start();
});
afterAll(() => fixture.close());

const key = { name: 'default', namespace: configNamespace };

async function secret(name: string, stringData: Record<string, string>): Promise<void> {
  const metadata = { name, namespace: configNamespace };
  await fixture.platform.client.apply(Secret, { metadata, stringData }, { fieldManager: 'team' });
}

it('reports its login at the SCM, and unreachable repositories, without the credential', async () => {
  const app = await fixture.target({ 'a.txt': 'a\n' });
  const gitlab = await fixture.target({ 'a.txt': 'a\n' }, 'gitlab');
  await secret('wrong', { token: 'glpat-canary-of-the-test' });
  const unreachable = { ...gitlab.provider, credentialsRef: { name: 'wrong' } };
  const status = await fixture.configure({ routes: [app.route(), gitlab.route({ provider: unreachable })] });
  expect(status.providers).toEqual([
    { kind: 'github-app', repository: app.fullName, identity: app.login, reachable: true },
    { kind: 'gitlab', repository: gitlab.fullName, reachable: false, message: expect.stringMatching(/401/) },
  ]);
  expect(status.conditions).toContainEqual(
    expect.objectContaining({ type: 'ProvidersReachable', status: 'False', reason: 'Unreachable' }),
  );
  expect(status.conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }));
  expect(JSON.stringify([status, fixture.responder.log])).not.toContain('canary');

  await secret('wrong', gitlab.secret);
  await fixture.responder.rest();
  const { status: later } = await fixture.platform.client.get(GitOpsResponderConfig, key);
  expect(later?.providers?.map(({ reachable }) => reachable)).toEqual([true, true]);
});

it('uses a personal access token of GitHub from the Secret that the reference names', async () => {
  const target = await fixture.target({ 'a.txt': 'a\n' });
  await secret('pat', { GITHUB_TOKEN: target.user.user.token });
  const { appCredentialsRef: _, ...rest } = target.provider;
  await fixture.route(
    target.route({ provider: { ...rest, kind: 'github-pat', credentialsRef: { name: 'pat' } } }),
  );
  const name = await fixture.respond(target.actionRef, { path: 'a.txt', contents: 'b\n' });
  const status = await fixture.statusIs(name, ({ phase }) => expect(phase).toBe('Succeeded'));
  expect(status.route?.provider).toBe('github-pat');
  expect(await target.pulls()).toHaveLength(1);
});

it('opens a draft at GitLab although its title had to be cut', async () => {
  const target = await fixture.target({ 'a.txt': 'a\n' }, 'gitlab');
  await fixture.route(target.route({ draft: true }));
  const parameters = { path: 'a.txt', contents: 'b\n', prTitle: 'x'.repeat(300) };
  const name = await fixture.respond(target.actionRef, parameters);
  await fixture.statusIs(name, ({ phase }) => expect(phase).toBe('Succeeded'));
  expect(await target.pulls()).toMatchObject([{ title: expect.stringMatching(/^Draft: x+…$/) }]);
});
