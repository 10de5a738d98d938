import { describe, expect, it } from '@jest/globals';
import { GitRepository } from '@interlock/api';
import { eventually } from '@interlock/kube/testing';
import { repositoryName } from '@interlock/stack';
import { useFixture } from './harness/fixture.js';

const fixture = useFixture();

describe('a mirror', () => {
  it('is deleted from the disk with its GitRepository, and the mirrors of other GitRepositories stay', async () => {
    const [team, other] = [await fixture.team(), await fixture.team()];
    for (const one of [team, other]) {
      await one.applyStrategy();
      await one.propose();
      await one.refreshAndRest();
    }
    const before = await fixture.mirrors();
    expect(before).toHaveLength(2);
    await team.client.delete(GitRepository, { namespace: team.namespace, name: repositoryName });
    await eventually(async () => expect(await fixture.mirrors()).toHaveLength(1));
    expect(before).toEqual(expect.arrayContaining(await fixture.mirrors()));
  });
});
