import { describe, expect, it } from '@jest/globals';
import { GitRepository, PullRequest } from '@interlock/api';
import type { RepositoryHandle } from '@interlock/forge';
import { eventually } from '@interlock/kube/testing';
import { commitFiles, LocalRepository, repositoryName } from '@interlock/stack';
import { callForge } from './harness/forge-api.js';
import { proposeManually, proposeUnchecked } from './harness/proposals.js';
import type { Team } from './harness/team.js';
import { useFixture } from './harness/fixture.js';

const fixture = useFixture();

/** Returns a team whose pull request into dev, number 1, waits for a user. */
async function openTeam(): Promise<Team> {
  const team = await fixture.team({ environments: ['dev'] });
  expect(await proposeManually(team)).toMatchObject({ number: 1 });
  await eventually(async () => expect((await team.pullRequest('dev')).status?.url).toContain('/pull/1'));
  return team;
}

/** Creates another repository of the same owner, whose users have a pull request that also has the number 1. */
async function strangers({ repository }: Team): Promise<RepositoryHandle> {
  const { forge } = fixture.platform;
  const { owner } = repository;
  const other = await forge.createRepository({ owner, name: 'strangers' });
  await forge.grant({ owner, name: 'strangers', login: fixture.user.user.login, role: 'write' });
  const local = new LocalRepository(other.path);
  const time = fixture.clock.now();
  const main = await commitFiles(local, { branch: 'main', message: 'one', files: files('one'), time });
  await local.git(['update-ref', 'refs/heads/feature', main]);
  await commitFiles(local, { branch: 'feature', message: 'two', files: files('two'), time });
  await callForge(fixture, 'POST', `${other.fullName}/pulls`, {
    head: 'feature',
    base: 'main',
    title: 'theirs',
  });
  return other;
}

/** Creates another repository of the same owner, with the same branches. */
async function copyOf({ repository, local }: Team): Promise<RepositoryHandle> {
  const { forge } = fixture.platform;
  const { owner } = repository;
  const copy = await forge.createRepository({ owner, name: 'copy' });
  await forge.grant({ owner, name: 'copy', login: fixture.user.user.login, role: 'write' });
  await local.git(['push', copy.path, 'refs/heads/*:refs/heads/*']);
  await fixture.user.pulls(copy.fullName);
  return copy;
}

function files(text: string): Map<string, string> {
  return new Map([['readme.md', `${text}\n`]]);
}

async function point(team: Team, name: string): Promise<void> {
  await team.client.patch(
    GitRepository,
    { namespace: team.namespace, name: repositoryName },
    { type: 'merge', patch: { spec: { github: { name } } } },
  );
}

/** Returns the numbers and states of all pull requests of a repository, newest first. */
async function pullsOf({ fullName }: RepositoryHandle): Promise<string[]> {
  return (await fixture.user.pulls(fullName)).map(
    ({ number, title, state }) => `${number} ${title} ${state}`,
  );
}

async function pullRequests(team: Team): Promise<PullRequest[]> {
  return (await team.client.list(PullRequest, { namespace: team.namespace })).items;
}

describe('a GitRepository that names another repository', () => {
  it('changes neither the pull requests of others in that repository nor its earlier pull request', async () => {
    const team = await openTeam();
    const theirs = await strangers(team);
    const [ours] = await pullsOf(team.repository);
    await point(team, 'strangers');
    await eventually(async () => {
      const { status } = await team.pullRequest('dev');
      expect(status?.repository?.url).toContain('/strangers');
      expect(status?.plugin).toBeUndefined();
    });
    await fixture.rest();
    expect(await pullsOf(theirs)).toEqual(['1 theirs open']);

    await team.deleteStrategy();
    await eventually(async () => expect(await pullRequests(team)).toEqual([]));
    await fixture.rest();
    expect(await pullsOf(theirs)).toEqual(['1 theirs open']);
    expect(await pullsOf(team.repository)).toEqual([ours]);
  });

  it('closes no pull request in that repository if the strategy is deleted at the same time', async () => {
    const team = await openTeam();
    const theirs = await strangers(team);
    const [ours] = await pullsOf(team.repository);
    await fixture.stopPromoter();
    await point(team, 'strangers');
    await team.deleteStrategy();
    await fixture.startPromoter();
    await eventually(async () => expect(await pullRequests(team)).toEqual([]));
    expect(await pullsOf(theirs)).toEqual(['1 theirs open']);
    expect(await pullsOf(team.repository)).toEqual([ours]);
  });

  it('gets a new pull request in that repository, and finds the earlier pull request again when it names the earlier repository', async () => {
    const team = await openTeam();
    const other = await copyOf(team);
    await point(team, 'copy');
    await eventually(async () => {
      expect(await fixture.user.pulls(other.fullName)).toMatchObject([{ number: 1, base: 'dev' }]);
      expect((await team.pullRequest('dev')).status?.url).toContain('/copy/pull/1');
    });
    await point(team, team.repository.name);
    await eventually(async () => {
      expect((await team.pullRequest('dev')).status).toMatchObject({
        state: 'open',
        url: expect.stringContaining(`${team.repository.fullName}/pull/1`),
      });
    });
    expect(await team.pulls('dev')).toMatchObject([{ number: 1, state: 'open' }]);
    expect(await fixture.user.pulls(other.fullName)).toMatchObject([{ number: 1, state: 'open' }]);
  });
});

describe('a GitRepository that names a copy of its repository', () => {
  it('gets a pull request in the copy for a commit that was rejected in the earlier repository', async () => {
    const team = await openTeam();
    await fixture.user.close(team.repository.fullName, 1);
    fixture.clock.forward(5 * 60_000);
    await team.waitsFor('dev', 'Rejected');
    const other = await copyOf(team);
    await point(team, 'copy');
    await eventually(async () => {
      expect(await fixture.user.pulls(other.fullName)).toMatchObject([{ number: 1, base: 'dev' }]);
    });
    expect(await team.pulls('dev')).toMatchObject([{ number: 1, state: 'closed' }]);
  });

  it('merges nothing in the earlier repository if the change happens during the decision of a merge', async () => {
    const team = await fixture.team({ environments: ['dev'] });
    const { drySHA, sha } = await proposeUnchecked(team);
    const running = await team.tip('dev');
    const other = await copyOf(team);
    await fixture.rest();
    const reads = team.holdReads(other.fullName);
    await point(team, 'copy');
    await reads.arrived;
    await team.report('lint', sha, 'success');
    await eventually(async () => expect((await team.pullRequest('dev')).spec.merge?.sha).toBe(sha));
    reads.release();
    await team.runs('dev', drySHA);
    expect(await fixture.user.pulls(other.fullName)).toMatchObject([{ number: 1, merged: true }]);
    expect(await team.tip('dev')).toBe(running);
    expect(await team.pulls('dev')).toMatchObject([{ number: 1, state: 'open' }]);
  });
});

describe('a pull request whose base a user changes', () => {
  it('is not changed, and another pull request is opened into the environment', async () => {
    const team = await openTeam();
    await team.local.git(['update-ref', 'refs/heads/other', await team.tip('dev')]);
    await callForge(fixture, 'PATCH', `${team.repository.fullName}/pulls/1`, { base: 'other' });
    await team.propose();
    await team.refreshAndRest();
    await eventually(async () => expect((await team.openPull('dev')).number).toBe(2));
    await fixture.rest();
    expect(await team.pulls('other')).toMatchObject([{ number: 1, state: 'open' }]);

    await team.deleteStrategy();
    await eventually(async () => expect(await pullRequests(team)).toEqual([]));
    expect(await team.pulls('dev')).toMatchObject([{ number: 2, state: 'closed' }]);
    expect(await team.pulls('other')).toMatchObject([{ number: 1, state: 'open' }]);
  });
});
