import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GitRepository, ScmProvider } from '@interlock/api';
import { startForge, type Forge, type UserHandle } from '@interlock/forge';
import { Secret } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { commitFiles, LocalRepository, repositoryName } from '@interlock/stack';
import { request } from 'undici';
import { useFixture } from './harness/fixture.js';
import type { Team } from './harness/team.js';

const fixture = useFixture();
let other: Forge;
let grace: UserHandle;
beforeAll(async () => {
  other = await startForge();
  grace = await other.createUser({ login: 'grace' });
});
afterAll(() => other.close());

/** Names the repository of the same name on a server as the destination of a team. */
async function use(team: Team, { domain, token }: { domain: string; token: string }): Promise<void> {
  const secret = `token-${new URL(domain).port}`;
  await team.apply(Secret, secret, { stringData: { token } });
  await team.apply(ScmProvider, 'server', {
    spec: { secretRef: { name: secret }, github: { domain } },
  });
  const { owner, name } = team.repository;
  await team.apply(GitRepository, repositoryName, {
    spec: { scmProviderRef: { name: 'server' }, github: { owner, name } },
  });
}

describe('CommitStatuses whose provider names another server', () => {
  it('are sent to it once each, without another change', async () => {
    const team = await fixture.team({ access: false });
    const { owner, name } = team.repository;
    const sha = await team.commit();
    await use(team, { domain: fixture.platform.forge.url, token: fixture.reader.token });
    const names = ['build', 'lint', 'test'];
    for (const one of names) await team.report({ sha, name: one }, one);
    for (const one of names) await team.synced(one);

    const { path } = await other.createRepository({ owner, name });
    await other.grant({ owner, name, login: grace.login, role: 'write' });
    const files = new Map([['manifest.yaml', 'commit 1']]);
    const same = { branch: 'dev', message: 'commit 1', files, time: Date.UTC(2026, 0, 1) };
    expect(await commitFiles(new LocalRepository(path), same)).toBe(sha);

    const { seq } = other.journal;
    await use(team, { domain: other.url, token: grace.token });
    await eventually(async () => expect((await statusesAt(team, sha)).sort()).toEqual(names));
    await fixture.sync.rest();
    const calls = other.journal
      .entries({ since: seq, api: 'rest' })
      .filter(({ path: of }) => !of.endsWith('/statuses'))
      .map(({ method }) => method);
    expect(calls.filter((method) => method === 'POST')).toHaveLength(names.length);
    expect(calls.length).toBeLessThanOrEqual(2 * names.length + 1);
  });
});

/** Returns the names of the statuses of a commit on the other server. */
async function statusesAt(team: Team, sha: string): Promise<string[]> {
  const url = `${other.apiUrl}/repos/${team.repository.fullName}/commits/${sha}/statuses`;
  const { body } = await request(url, { headers: { authorization: `Bearer ${grace.token}` } });
  return ((await body.json()) as { context: string }[]).map(({ context }) => context);
}
