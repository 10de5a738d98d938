import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@interlock/kube/testing';
import { callForge } from './harness/forge-api.js';
import { conditionOf, type Team } from './harness/team.js';
import { useFixture, type Fixture } from './harness/fixture.js';

const fixture = useFixture();
afterEach(() => fixture.platform.forge.faults.clear());

type Protection = Omit<
  Parameters<Fixture['platform']['forge']['protectBranch']>[0],
  'owner' | 'name' | 'branch'
>;

/** Returns a team with a protected dev branch. */
async function protectedTeam(protection: Protection, webhooks = false): Promise<Team> {
  const team = await fixture.team({ environments: ['dev'], webhooks });
  const { owner, name } = team.repository;
  await fixture.platform.forge.protectBranch({ owner, name, branch: 'dev', ...protection });
  await team.applyStrategy();
  return team;
}

/**
 * Waits until the next attempt of a refused merge is minutes away, and earlier attempts have no pending effects: then only an
 * event can trigger an earlier attempt.
 */
async function refusedForLong(team: Team): Promise<void> {
  await eventually(async () => {
    fixture.clock.forward(60_000);
    await fixture.rest();
    expect((await team.pullRequest('dev')).status?.merge?.attempts).toBeGreaterThan(4);
  });
  fixture.clock.forward(10_000);
  await fixture.rest();
}

describe('a merge that the SCM refuses', () => {
  it('is shown in the pull request, the proposed commit, the strategy and the description at the SCM', async () => {
    const team = await protectedTeam({ requiredStatusChecks: ['security-scan'] });
    await team.propose();
    await team.refresh();
    const said = 'Required status check "security-scan" is expected';
    await eventually(async () => {
      expect((await team.pullRequest('dev')).status?.merge).toMatchObject({
        state: 'Refused',
        reason: 'Blocked',
        message: expect.stringContaining(said),
      });
      const promoted = conditionOf(await team.proposedCommit('dev'), 'Promoted');
      expect(promoted).toMatchObject({ reason: 'MergeRefused', message: expect.stringContaining(said) });
      expect(await team.check('dev', 'Merge')).toMatchObject({
        state: 'pending',
        message: expect.stringContaining(said),
      });
      const strategy = conditionOf(await team.strategy(), 'Promoted');
      expect(strategy).toMatchObject({ reason: 'Waiting', message: expect.stringContaining(said) });
      expect((await team.openPull('dev')).body).toContain('Required status check');
    });
    expect(conditionOf(await team.pullRequest('dev'), 'Ready')).toMatchObject({
      status: 'False',
      reason: 'Blocked',
    });
  });

  it('is retried after delays that double, not every half minute', async () => {
    const team = await protectedTeam({ requiredStatusChecks: ['security-scan'] });
    await team.propose();
    await team.refresh();
    await eventually(() => expect(team.mergeRequests()).toHaveLength(1));
    await fixture.rest();
    for (let minute = 0; minute < 60; minute++) {
      fixture.clock.forward(60_000);
      await fixture.rest();
    }
    expect(team.mergeRequests().length).toBeGreaterThanOrEqual(6);
    expect(team.mergeRequests().length).toBeLessThanOrEqual(9);
  });

  it('is retried as soon as the SCM reports the missing check', async () => {
    const team = await protectedTeam({ requiredStatusChecks: ['security-scan'] }, true);
    const { drySHA, hydrated } = await team.propose();
    await team.refresh();
    await team.waitsFor('dev', 'MergeRefused');
    await refusedForLong(team);
    await callForge(fixture, 'POST', `${team.repository.fullName}/statuses/${hydrated['dev'] ?? ''}`, {
      state: 'success',
      context: 'security-scan',
    });
    await team.runs('dev', drySHA);
  });

  it('is retried as soon as a user approves', async () => {
    const team = await protectedTeam({ requiredApprovals: 1 }, true);
    const { drySHA } = await team.propose();
    await team.refresh();
    const { message } = await team.waitsFor('dev', 'MergeRefused');
    expect(message).toContain('approving review');
    await refusedForLong(team);
    const { number } = await team.openPull('dev');
    await callForge(fixture, 'POST', `${team.repository.fullName}/pulls/${number}/reviews`, {
      event: 'APPROVE',
    });
    await team.runs('dev', drySHA);
  });
});

describe('a branch that accepts only up-to-date heads', () => {
  it('gets an up-to-date head, because the environment is merged into the proposed branch', async () => {
    const team = await protectedTeam({ requiredStatusChecks: ['lint'], strict: true });
    const pass = async (sha: string): Promise<void> =>
      callForge(fixture, 'POST', `${team.repository.fullName}/statuses/${sha}`, {
        state: 'success',
        context: 'lint',
      });
    for (const turn of [1, 2]) {
      const { drySHA, hydrated } = await team.propose();
      await pass(hydrated['dev'] ?? '');
      await team.refresh();
      await eventually(async () => {
        const head = await team.tip('dev-next');
        if (turn === 2) expect(head).not.toBe(hydrated['dev']);
        await pass(head);
        fixture.clock.forward(60_000);
        expect((await team.environment('dev')).active?.drySHA).toBe(drySHA);
      });
    }
  });
});

describe('a branch with a merge queue', () => {
  it('queues the pull request, and the promotion follows the queue', async () => {
    const team = await protectedTeam({ mergeQueue: true }, true);
    const { owner, name } = team.repository;
    const queue = { owner, name, branch: 'dev' };
    const { drySHA } = await team.propose();
    await team.refresh();
    const { message } = await team.waitsFor('dev', 'InMergeQueue');
    expect(message).toContain('merge queue of dev');
    const { number } = await team.openPull('dev');
    expect((await team.pullRequest('dev')).status?.merge).toMatchObject({ state: 'Queued' });
    expect(await fixture.platform.forge.advanceMergeQueue(queue)).toBe(number);
    await team.runs('dev', drySHA);
  });

  it('that removed the pull request queues it again after a delay, which the status reports', async () => {
    const team = await protectedTeam({ mergeQueue: true });
    const { owner, name } = team.repository;
    const { drySHA } = await team.propose();
    await team.refresh();
    await team.waitsFor('dev', 'InMergeQueue');
    await fixture.rest();
    const { number } = await team.openPull('dev');
    await fixture.platform.forge.dropFromMergeQueue({ owner, name, number });
    fixture.clock.forward(30_000);
    const { message } = await team.waitsFor('dev', 'MergeRefused');
    expect(message).toContain('it was removed from the merge queue of dev');
    await fixture.rest();
    const queue = { owner, name, branch: 'dev' };
    expect(await fixture.platform.forge.advanceMergeQueue(queue)).toBeUndefined();
    fixture.clock.forward(60_000);
    await team.waitsFor('dev', 'InMergeQueue');
    expect(await fixture.platform.forge.advanceMergeQueue(queue)).toBe(number);
    fixture.clock.forward(5 * 60_000);
    await team.refreshAndRest();
    await team.runs('dev', drySHA);
  });

  it('no longer queues the pull request when the promotion is held', async () => {
    const team = await protectedTeam({ mergeQueue: true }, true);
    const { owner, name } = team.repository;
    await team.propose();
    await team.refresh();
    await team.waitsFor('dev', 'InMergeQueue');
    await team.applyStrategy({ environments: [{ branch: 'dev', hold: { reason: 'freeze' } }] });
    await eventually(async () => expect((await team.pullRequest('dev')).status?.merge).toBeUndefined());
    expect(await fixture.platform.forge.advanceMergeQueue({ owner, name, branch: 'dev' })).toBeUndefined();
    expect(await team.openPull('dev')).toBeDefined();
  });
});

describe('an SCM that refuses all requests because of its rate limit', () => {
  it('is reported in the PullRequest when the refusals last', async () => {
    const team = await fixture.team({ environments: ['dev'] });
    const fault = fixture.platform.forge.faults.add({
      match: { method: 'POST', route: '/repos/{owner}/{repo}/pulls', actor: team.account.login },
      times: Infinity,
      rateLimit: 'primary',
      retryAfterSeconds: 35 * 60,
    });
    await team.applyStrategy();
    const { drySHA } = await team.propose();
    await team.refresh();
    await eventually(async () => {
      expect(conditionOf(await team.pullRequest('dev'), 'Ready')).toMatchObject({
        status: 'False',
        reason: 'RateLimited',
      });
    });
    fault.remove();
    fixture.clock.forward(40 * 60_000);
    await team.runs('dev', drySHA);
  });
});
