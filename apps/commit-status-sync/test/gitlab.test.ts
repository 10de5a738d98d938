import { afterEach, describe, expect, it } from '@jest/globals';
import type { CommitStatusPhase } from '@interlock/api';
import { useFixture } from './harness/fixture.js';

const fixture = useFixture({ scm: 'gitlab' });
afterEach(() => fixture.platform.forge.faults.clear());

describe('on GitLab, a CommitStatus', () => {
  it.each<[CommitStatusPhase, string]>([
    ['queued', 'pending'],
    ['in_progress', 'running'],
    ['success', 'success'],
    ['failure', 'failed'],
    ['cancelled', 'canceled'],
  ])('that is %s becomes a commit status that is %s', async (phase, status) => {
    const team = await fixture.team();
    const sha = await team.commit();
    await team.report({ sha, phase, description: '3 of 4 are healthy' });
    const { status: written } = await team.synced();
    const statuses = await team.gitlabStatuses(sha);
    expect(statuses).toMatchObject([{ name: 'health', status, description: '3 of 4 are healthy' }]);
    expect(written).toMatchObject({ sha, phase, plugin: { gitlab: { id: statuses[0]?.id } } });
  });

  it('uses one commit status for its phases, and creates another one when it leaves a final phase', async () => {
    const team = await fixture.team();
    const sha = await team.commit();
    for (const phase of ['queued', 'in_progress', 'success', 'in_progress'] as const) {
      await team.report({ sha, phase });
      await team.synced();
    }
    expect(await team.gitlabStatuses(sha)).toMatchObject([{ status: 'success' }, { status: 'running' }]);
  });

  it('that is reported again unchanged causes no request, even when the response was lost', async () => {
    const team = await fixture.team();
    const sha = await team.commit();
    const fault = fixture.loseAnswer('/projects/{id}/statuses/{sha}');
    await team.report({ sha, phase: 'queued' });
    await team.synced();
    expect(fault.hits).toBe(1);
    expect(await team.gitlabStatuses(sha)).toMatchObject([{ status: 'pending' }]);
    await fixture.sync.rest();
    const { seq } = fixture.platform.forge.journal;
    await fixture.sync.stop();
    await fixture.start();
    await team.report({ sha, phase: 'queued' });
    await team.synced();
    await fixture.sync.rest();
    expect(team.requests(seq)).toEqual([]);
  });
});
