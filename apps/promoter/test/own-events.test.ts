import { describe, expect, it } from '@jest/globals';
import { GitRepository } from '@interlock/api';
import { eventually } from '@interlock/kube/testing';
import { repositoryName } from '@interlock/stack';
import { proposeUnchecked } from './harness/proposals.js';
import type { Team } from './harness/team.js';
import { useFixture, type Fixture } from './harness/fixture.js';

/** Waits until deferred requests of webhooks are done. */
async function settle(fixture: Fixture): Promise<void> {
  await fixture.rest();
  fixture.clock.forward(10_000);
  await fixture.rest();
}

/** Returns the annotations with requests of webhooks. */
async function requested(team: Team): Promise<unknown[]> {
  const repository = await team.client.get(GitRepository, {
    namespace: team.namespace,
    name: repositoryName,
  });
  const pullRequest = await team.pullRequest('dev');
  return [repository.metadata.annotations, pullRequest.metadata.annotations];
}

describe.each(['github', 'gitlab', 'gitea'] as const)('webhooks of %s', (scm) => {
  const fixture = useFixture(() => ({ scm }));

  it("about the promoter's own texts cause no reads, unlike webhooks about a state", async () => {
    const team = await fixture.team({ environments: ['dev'], webhooks: true });
    const { sha, number } = await proposeUnchecked(team);
    await settle(fixture);
    const before = await requested(team);
    for (let flip = 0; flip < 5; flip++) {
      const phase = flip % 2 === 0 ? 'in_progress' : 'queued';
      await team.report('lint', sha, phase, { description: `flip ${flip}` });
      await eventually(async () => expect((await team.openPull('dev')).body).toContain(`flip ${flip}`));
    }
    await settle(fixture);
    expect(await requested(team)).toEqual(before);

    await fixture.user.close(team.repository.fullName, number);
    await team.waitsFor('dev', 'Rejected');
  });
});
