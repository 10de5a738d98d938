import { expect, it } from '@jest/globals';
import { eventually } from '@interlock/kube/testing';
import type { Team } from './harness/team.js';
import { useFixture } from './harness/fixture.js';

const fixture = useFixture();

/** Reads the labels of a pull request as a user, or adds some. */
async function labelsOf({ repository }: Team, number: number, added?: string[]): Promise<string[]> {
  const { forge } = fixture.platform;
  const url = `${forge.apiUrl}/repos/${repository.fullName}/issues/${number}/labels`;
  const headers = {
    authorization: `token ${fixture.user.user.token}`,
    'content-type': 'application/json',
  };
  const body = added === undefined ? {} : { method: 'POST', body: JSON.stringify({ labels: added }) };
  const response = await fetch(url, { headers, ...body });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { name: string }[]).map(({ name }) => name).sort();
}

it('removes labels that the strategy no longer names, and keeps those of users', async () => {
  const team = await fixture.team({ environments: ['dev'] });
  const apply = (labels: string[]) =>
    team.applyStrategy({ pullRequest: { labels }, proposedCommitStatuses: [{ key: 'lint' }] });
  await apply(['promotion', 'first']);
  await team.propose();
  await team.refresh();
  const { number } = await eventually(() => team.openPull('dev'));
  await eventually(async () => expect(await labelsOf(team, number)).toEqual(['first', 'promotion']));
  await labelsOf(team, number, ['urgent']);
  await apply(['promotion', 'second']);
  await eventually(async () =>
    expect(await labelsOf(team, number)).toEqual(['promotion', 'second', 'urgent']),
  );
  await apply([]);
  await eventually(async () => expect(await labelsOf(team, number)).toEqual(['urgent']));
});
