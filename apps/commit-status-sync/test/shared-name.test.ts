import { describe, expect, it } from '@jest/globals';
import { CommitStatus } from '@interlock/api';
import { eventually } from '@interlock/kube/testing';
import type { Team } from './harness/team.js';
import { useFixture } from './harness/fixture.js';

const name = 'promotion';
const fixture = useFixture();

/** Waits until the condition Ready of a CommitStatus has a message. */
async function reports(team: Team, of: string, message: string): Promise<void> {
  await eventually(async () => expect((await team.settled(of)).ready).toMatchObject({ message }));
}

describe('two CommitStatuses with one name on one commit', () => {
  it('share one check run, which is successful when both are successful, and each of the two names the other', async () => {
    const team = await fixture.team();
    const sha = await team.commit();
    await team.report({ sha, name, phase: 'success', description: 'dev: goes ahead' }, 'of-dev');
    await team.report({ sha, name, phase: 'in_progress', description: 'prod: waits' }, 'of-prod');
    await reports(
      team,
      'of-dev',
      'the SCM shows in_progress; CommitStatuses with the same name and commit share it: of-prod',
    );
    await reports(
      team,
      'of-prod',
      'the SCM shows in_progress; CommitStatuses with the same name and commit share it: of-dev',
    );
    expect((await team.checkRuns(sha)).at(-1)).toMatchObject({
      name,
      status: 'in_progress',
      output: { summary: 'prod: waits' },
    });

    await team.report({ sha, name, phase: 'success', description: 'prod: goes ahead' }, 'of-prod');
    await reports(
      team,
      'of-prod',
      'the SCM shows success; CommitStatuses with the same name and commit share it: of-dev',
    );
    expect((await team.checkRuns(sha)).at(-1)).toMatchObject({
      conclusion: 'success',
      output: { summary: 'dev: goes ahead; prod: goes ahead' },
    });
  });

  it('are shown by the remaining one when the other is deleted', async () => {
    const team = await fixture.team();
    const sha = await team.commit();
    await team.report({ sha, name, phase: 'failure' }, 'of-dev');
    await team.report({ sha, name, phase: 'success' }, 'of-prod');
    await reports(
      team,
      'of-prod',
      'the SCM shows failure; CommitStatuses with the same name and commit share it: of-dev',
    );
    await fixture.client.delete(CommitStatus, { namespace: team.namespace, name: 'of-dev' });
    await reports(team, 'of-prod', 'the SCM shows success');
    expect((await team.checkRuns(sha)).at(-1)).toMatchObject({ name, conclusion: 'success' });
  });
});
