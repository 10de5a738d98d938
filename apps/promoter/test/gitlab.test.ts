import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { annotations, GitRepository, ScmProvider } from '@interlock/api';
import { Secret } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { repositoryName } from '@interlock/stack';
import { request } from 'undici';
import { parseAllDocuments } from 'yaml';
import type { Team } from './harness/team.js';
import { webhookSecret, useFixture } from './harness/fixture.js';

const fixture = useFixture(() => ({ scm: 'gitlab' }));

/** Delivers a push of a project as GitLab does. Returns the status of the response. */
async function deliver(team: Team, token: string): Promise<number> {
  const { fullName } = team.repository;
  const push = {
    object_kind: 'push',
    ref: 'refs/heads/dev-next',
    project: { path_with_namespace: fullName },
  };
  const { statusCode, body } = await request(fixture.webhookUrl(team.namespace), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-gitlab-event': 'Push Hook', 'x-gitlab-token': token },
    body: JSON.stringify(push),
  });
  await body.dump();
  return statusCode;
}

async function refreshedAt(team: Team): Promise<string | undefined> {
  const key = { namespace: team.namespace, name: repositoryName };
  const { metadata } = await fixture.platform.client.get(GitRepository, key);
  return metadata.annotations?.[annotations.refreshedAt];
}

describe('on GitLab', () => {
  it('the promoter accepts a push by webhook only with the right token', async () => {
    const team = await fixture.team({ environments: ['dev'] });
    await team.applyStrategy();
    await eventually(() => team.environment('dev'));
    await fixture.rest();
    const { drySHA } = await team.propose();
    expect(await deliver(team, `${webhookSecret}s`)).toBe(401);
    expect(await deliver(team, '')).toBe(401);
    expect(await refreshedAt(team)).toBeUndefined();
    expect(await deliver(team, webhookSecret)).toBe(202);
    await team.runs('dev', drySHA);
  });
});

describe('the example of docs/scm.md', () => {
  it('gives a strategy access to its repository', async () => {
    const team = await fixture.team({ environments: ['dev'] });
    const page = await readFile(new URL('../../../docs/scm.md', import.meta.url), 'utf8');
    const [, example = ''] = /^## GitLab$.*?^```yaml\n(.*?)^```/ms.exec(page) ?? [];
    const filled = example
      .replace('glpat-…', team.account.access.secret['token'] ?? '')
      .replace('gitlab.example.com', fixture.platform.forge.url)
      .replace('acme/platform', team.repository.owner);
    const [secret, provider, repository] = parseAllDocuments(filled).map(
      (document) => document.toJS() as { metadata: { name: string } },
    );
    const inTeam = (manifest = { metadata: { name: '' } }) => ({
      ...manifest,
      metadata: { ...manifest.metadata, namespace: team.namespace },
    });
    await team.client.apply(Secret, inTeam(secret), { fieldManager: 'team' });
    await team.client.apply(ScmProvider, inTeam(provider), { fieldManager: 'team' });
    await team.client.apply(GitRepository, inTeam(repository), { fieldManager: 'team' });
    await team.applyStrategy({ repoRef: { name: 'deployments' } });
    const { drySHA } = await team.propose();
    await team.runs('dev', drySHA);
  });

  it.each([
    ['two SCMs', { gitlab: {}, github: {} }],
    ['no SCM', {}],
  ])('is refused with %s in the provider', async (_, sections) => {
    const team = await fixture.team({ environments: ['dev'] });
    const spec = { secretRef: { name: 'x' }, ...sections };
    await expect(team.apply(ScmProvider, 'gitlab', { spec })).rejects.toThrow(
      'exactly one provider must be set: github, gitlab',
    );
  });
});
