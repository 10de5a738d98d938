import { generateKeyPairSync } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import { CommitStatus, GitRepository, ScmProvider, type CommitStatusPhase } from '@interlock/api';
import { Secret } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { proposalExamples, repositoryName } from '@interlock/stack';
import { parse } from 'yaml';
import type { Team } from './harness/team.js';
import { useFixture } from './harness/fixture.js';

const fixture = useFixture();
afterEach(() => fixture.platform.forge.faults.clear());

describe('a CommitStatus', () => {
  it.each<[CommitStatusPhase, string, string | null]>([
    ['queued', 'queued', null],
    ['in_progress', 'in_progress', null],
    ['success', 'completed', 'success'],
    ['failure', 'completed', 'failure'],
    ['cancelled', 'completed', 'cancelled'],
  ])('that is %s becomes a check run', async (phase, status, conclusion) => {
    const team = await fixture.team();
    const sha = await team.commit();
    await team.report({ sha, phase, description: '3 of 4 are healthy', url: 'https://example.com/health' });
    const { status: written } = await team.synced();
    const runs = await team.checkRuns(sha);
    expect(runs).toMatchObject([
      {
        name: 'health',
        status,
        conclusion,
        details_url: 'https://example.com/health',
        output: { title: 'health', summary: '3 of 4 are healthy' },
      },
    ]);
    expect(written).toMatchObject({ sha, phase, plugin: { github: { checkRunId: runs[0]?.id } } });
  });

  it('is in progress at the SCM when its success has ended, even if its reporter does not renew it', async () => {
    const team = await fixture.team();
    const sha = await team.commit();
    await team.report({ sha, phase: 'success', validUntil: '2026-01-01T00:00:00Z' });
    const { status } = await team.synced();
    expect(status?.phase).toBe('in_progress');
    expect(await team.checkRuns(sha)).toMatchObject([{ status: 'in_progress', conclusion: null }]);
  });

  it('uses one check run for its phases, and creates another one when it leaves a final phase', async () => {
    const team = await fixture.team();
    const sha = await team.commit();
    for (const phase of ['queued', 'in_progress', 'success'] as const) {
      await team.report({ sha, phase });
      await team.synced();
    }
    const [first, ...others] = await team.checkRuns(sha);
    expect(first).toMatchObject({ status: 'completed', conclusion: 'success' });
    expect(others).toEqual([]);

    await team.report({ sha, phase: 'in_progress' });
    const { status } = await team.synced();
    const [old, again] = await team.checkRuns(sha);
    expect(old).toEqual(first);
    expect(again).toMatchObject({ status: 'in_progress', conclusion: null });
    expect(status?.plugin?.github?.checkRunId).toBe(again?.id);
  });

  it('is sent to another commit without a change to its check run on the first commit', async () => {
    const team = await fixture.team();
    const [first, second] = [await team.commit(), await team.commit()];
    await team.report({ sha: first });
    await team.synced();
    const before = await team.checkRuns(first);
    await team.report({ sha: second, phase: 'failure' });
    const { status } = await team.synced();
    expect(await team.checkRuns(first)).toEqual(before);
    expect(await team.checkRuns(second)).toMatchObject([{ conclusion: 'failure' }]);
    expect(status).toMatchObject({ sha: second, phase: 'failure' });
  });

  it('updates the existing check run with its new description and URL', async () => {
    const team = await fixture.team();
    const sha = await team.commit();
    await team.report({ sha, phase: 'in_progress', description: 'one' });
    await team.synced();
    await team.report({ sha, phase: 'in_progress', description: 'two', url: 'https://example.com/two' });
    await team.synced();
    expect(await team.checkRuns(sha)).toMatchObject([
      { output: { summary: 'two' }, details_url: 'https://example.com/two' },
    ]);
  });

  it('creates only one check run if the response to its creation is lost', async () => {
    const team = await fixture.team();
    const sha = await team.commit();
    const fault = fixture.loseAnswer('/repos/{owner}/{repo}/check-runs');
    await team.report({ sha });
    await team.synced();
    expect(fault.hits).toBe(1);
    expect(await team.checkRuns(sha)).toHaveLength(1);
  });

  it('becomes a commit status if the credential is a token', async () => {
    const team = await fixture.team();
    await team.apply(Secret, 'person', { stringData: { token: fixture.reader.token } });
    await team.apply(ScmProvider, 'person', {
      spec: { secretRef: { name: 'person' }, github: { domain: fixture.platform.forge.url } },
    });
    await team.apply(GitRepository, 'by-token', {
      spec: {
        scmProviderRef: { name: 'person' },
        github: { owner: team.repository.owner, name: team.repository.name },
      },
    });
    const sha = await team.commit();
    const repoRef = { name: 'by-token' };
    await team.report({ repoRef, sha, phase: 'in_progress' });
    await team.synced();
    await team.report({ repoRef, sha, phase: 'failure', description: 'degraded' });
    const { status } = await team.synced();
    const [newest, before] = await team.statuses(sha);
    expect(newest).toMatchObject({ context: 'health', state: 'failure', description: 'degraded' });
    expect(before).toMatchObject({ context: 'health', state: 'pending' });
    expect(status?.plugin?.github?.statusId).toEqual(expect.any(Number));
    expect(await team.checkRuns(sha)).toEqual([]);
  });

  it('can have the form of the example in the proposal', async () => {
    const team = await fixture.team();
    const sha = await team.commit();
    const example = parse(proposalExamples.commitStatus.replace('xyz321', sha)) as CommitStatus;
    const metadata = { ...example.metadata, namespace: team.namespace };
    await fixture.platform.client.create(CommitStatus, { ...example, metadata });
    await team.synced('example');
    expect(await team.checkRuns(sha)).toMatchObject([
      {
        name: 'hydration-successful',
        conclusion: 'success',
        output: { title: 'hydration-successful', summary: 'All Applications are synced and healthy' },
      },
    ]);
  });
});

describe('a CommitStatus that cannot be sent', () => {
  it('is counted once for each failed call, with its namespace', async () => {
    const [team, other] = [await fixture.team(), await fixture.team()];
    const [sha, same] = [await team.commit(), await other.commit()];
    expect(same).toBe(sha);
    const fault = fixture.platform.forge.faults.add({
      match: { method: 'POST', path: `*/repos/${team.repository.fullName}/check-runs` },
      status: 502,
      times: 2,
    });
    await team.report({ sha });
    await other.report({ sha });
    await other.synced();
    await team.synced();
    const calls = (namespace: string, response_code: string) =>
      fixture.sync.metric('scm_calls_total', {
        namespace,
        response_code,
        api: 'CommitStatus',
        operation: 'create',
      });
    expect(fault.hits).toBe(2);
    expect(await calls(team.namespace, '502')).toBe(2);
    expect(await calls(team.namespace, '201')).toBe(1);
    expect(await calls(other.namespace, '201')).toBe(1);
    expect(await calls(other.namespace, '502')).toBe(0);
  });

  it('waits for its GitRepository', async () => {
    const team = await fixture.team({ access: false });
    const sha = await team.commit();
    await team.report({ sha });
    const { ready } = await team.settled();
    expect(ready).toMatchObject({
      status: 'False',
      reason: 'GitRepositoryNotFound',
      message: `spec.repoRef.name: GitRepository ${repositoryName} does not exist in the namespace; create it`,
    });
    await createAccess(team);
    await team.synced();
    expect(await team.checkRuns(sha)).toHaveLength(1);
  });

  it('reports a rate limit of the forge while the limit lasts', async () => {
    const team = await fixture.team();
    const sha = await team.commit();
    const fault = fixture.platform.forge.faults.add({
      match: { method: 'POST', path: `*/repos/${team.repository.fullName}/check-runs` },
      times: Infinity,
      rateLimit: 'primary',
      retryAfterSeconds: 35 * 60,
    });
    await team.report({ sha });
    expect((await team.settled()).ready).toMatchObject({ status: 'False', reason: 'RateLimited' });
    fault.remove();
    await fixture.forward(40 * 60_000);
    await team.synced();
    expect(await team.checkRuns(sha)).toHaveLength(1);
  });

  it('reports a malformed SHA, and sends nothing to the forge', async () => {
    const team = await fixture.team();
    const { seq } = fixture.platform.forge.journal;
    await team.report({ sha: 'xyz321' });
    const { object, ready } = await team.settled();
    expect(ready).toMatchObject({ status: 'False', reason: 'InvalidSHA' });
    expect(ready.message).toContain('spec.sha: "xyz321"');
    expect(object.status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'Stalled', status: 'True' }),
    );
    await fixture.sync.rest();
    expect(team.requests(seq)).toEqual([]);
    await team.report({ sha: await team.commit() });
    await team.synced();
    expect(team.requests(seq)).not.toEqual([]);
  });

  it('reports that its commit is not in the repository', async () => {
    const team = await fixture.team();
    const sha = 'f'.repeat(40);
    await team.report({ sha });
    const { ready } = await team.settled();
    expect(ready).toMatchObject({ status: 'False', message: expect.stringContaining(sha) });
    await team.report({ sha: await team.commit() });
    await team.synced();
  });

  it('reports that the credential is refused, until it is valid', async () => {
    const team = await fixture.team({ access: false });
    const sha = await team.commit();
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const strangers = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
    await createAccess(team, strangers);
    await team.report({ sha });
    await eventually(async () => {
      expect((await team.settled()).ready).toMatchObject({ status: 'False', reason: 'BadCredentials' });
    });
    const { journal } = fixture.platform.forge;
    const { seq } = journal;
    await fixture.sync.rest();
    expect(journal.entries({ since: seq })).toEqual([]);
    await createAccess(team, fixture.app.privateKeyPem, 'fixed');
    await team.synced();
    expect(await team.checkRuns(sha)).toHaveLength(1);
  });
});

/** Creates the ScmProvider and the GitRepository of a team, and a Secret of the given name with the key. */
async function createAccess(team: Team, key = fixture.app.privateKeyPem, secret = 'key'): Promise<void> {
  const { appId: appID } = fixture.app;
  const { installationId: installationID } = team;
  await team.apply(Secret, secret, { stringData: { githubAppPrivateKey: key } });
  await team.apply(ScmProvider, 'forge', {
    spec: {
      secretRef: { name: secret },
      github: { domain: fixture.platform.forge.url, appID, installationID },
    },
  });
  await team.apply(GitRepository, repositoryName, {
    spec: {
      scmProviderRef: { name: 'forge' },
      github: { owner: team.repository.owner, name: team.repository.name },
    },
  });
}
