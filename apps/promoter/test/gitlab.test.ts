import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { annotations, GitRepository, ScmProvider } from '@interlock/api';
import { Secret } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { repositoryName } from '@interlock/stack';
import { request } from 'undici';
import { parseAllDocuments } from 'yaml';
import { conditionOf, type Team } from './harness/team.js';
import { webhookSecret, World } from './harness/world.js';

const environments = ['dev', 'test', 'prod'];
let world: World;

beforeAll(async () => {
  world = await World.start({ scm: 'gitlab' });
});
afterAll(() => world.close());

/** Delivers a push of a project as GitLab does. @returns the status of the answer. */
async function deliver(team: Team, token: string): Promise<number> {
  const { fullName } = team.repository;
  const push = {
    object_kind: 'push',
    ref: 'refs/heads/dev-next',
    project: { path_with_namespace: fullName },
  };
  const { statusCode, body } = await request(world.webhookUrl(team.namespace), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-gitlab-event': 'Push Hook', 'x-gitlab-token': token },
    body: JSON.stringify(push),
  });
  await body.dump();
  return statusCode;
}

async function refreshedAt(team: Team): Promise<string | undefined> {
  const key = { namespace: team.namespace, name: repositoryName };
  const { metadata } = await world.platform.client.get(GitRepository, key);
  return metadata.annotations?.[annotations.refreshedAt];
}

describe('on GitLab', () => {
  it('a change goes from environment to environment, once each and in order', async () => {
    const team = await world.team({ webhooks: true });
    const first = await team.dryTip();
    await team.applyStrategy({ activeCommitStatuses: [{ key: 'health' }] });
    const { drySHA, hydrated } = await team.propose();
    await team.refresh();
    for (const branch of environments) {
      await team.report('health', await team.runs(branch, drySHA), 'success');
    }
    await world.rest();

    const numbers: number[] = [];
    for (const branch of environments) {
      const proposed = hydrated[branch] ?? '';
      const [pull, ...others] = await team.pulls(branch);
      expect(others).toEqual([]);
      expect(pull).toMatchObject({
        merged: true,
        headSHA: proposed,
        title: `Promote ${drySHA.slice(0, 7)} to ${branch}`,
      });
      numbers.push(pull?.number ?? 0);
      const merged = await team.tip(branch);
      expect(await team.tree(merged)).toBe(await team.tree(proposed));
      expect(await team.local.git(['rev-parse', `${merged}^2`])).toBe(proposed);
      expect(await team.trailers(merged)).toMatchObject({
        'Sha-dry-active': first,
        'Sha-dry-proposed': drySHA,
        'Pull-request-id': String(pull?.number),
        'Pull-request-url': `${team.repository.htmlUrl}/-/merge_requests/${pull?.number}`,
      });
      expect(await team.tip(`${branch}-next`)).toBe(proposed);
    }
    expect(team.mergeRequests()).toEqual(numbers);
    expect(conditionOf(await team.strategy(), 'Promoted')).toMatchObject({
      status: 'True',
      reason: 'UpToDate',
    });
  });

  it('a push is told by webhook, with the token and with no other', async () => {
    const team = await world.team({ environments: ['dev'] });
    await team.applyStrategy();
    await eventually(() => team.environment('dev'));
    await world.rest();
    const { drySHA } = await team.propose();
    expect(await deliver(team, `${webhookSecret}s`)).toBe(401);
    expect(await deliver(team, '')).toBe(401);
    expect(await refreshedAt(team)).toBeUndefined();
    expect(await deliver(team, webhookSecret)).toBe(202);
    await team.runs('dev', drySHA);
  });

  it('a merge request that a person closes is rejected, and one that a person merges is adopted', async () => {
    const team = await world.team({ environments: ['dev', 'test'], webhooks: true });
    await team.applyStrategy({ proposedCommitStatuses: [{ key: 'lint' }] });
    const { drySHA } = await team.propose();
    await team.refresh();
    const [dev, test] = await eventually(() => Promise.all([team.openPull('dev'), team.openPull('test')]));
    await world.person.close(team.repository.fullName, test.number);
    await team.waitsFor('test', 'Rejected');
    await world.person.merge(team.repository.fullName, dev.number);
    await team.runs('dev', drySHA);
    await world.rest();
    expect(await team.pulls('test')).toMatchObject([{ state: 'closed', merged: false }]);
    expect((await team.pullRequest('dev')).status).toMatchObject({ state: 'merged' });
  });
});

describe('the example of docs/scm.md', () => {
  it('gives a strategy its repository', async () => {
    const team = await world.team({ environments: ['dev'] });
    const page = await readFile(new URL('../../../docs/scm.md', import.meta.url), 'utf8');
    const [, example = ''] = /^## GitLab$.*?^```yaml\n(.*?)^```/ms.exec(page) ?? [];
    const filled = example
      .replace('glpat-…', team.account.access.secret['token'] ?? '')
      .replace('gitlab.example.com', world.platform.forge.url)
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
    ['none', {}],
  ])('but not with %s', async (_, sections) => {
    const team = await world.team({ environments: ['dev'] });
    const spec = { secretRef: { name: 'x' }, ...sections };
    await expect(team.apply(ScmProvider, 'gitlab', { spec })).rejects.toThrow(
      'exactly one provider must be set: github, gitlab',
    );
  });
});
