import { describe, expect, it } from '@jest/globals';
import { GitRepository } from '@interlock/api';
import { eventually } from '@interlock/kube/testing';
import { repositoryName } from '@interlock/stack';
import { useWorld } from './harness/world.js';

const world = useWorld();

describe('a mirror', () => {
  it('is deleted from the disk with its GitRepository, and those of others stay', async () => {
    const [team, other] = [await world.team(), await world.team()];
    for (const one of [team, other]) {
      await one.applyStrategy();
      await one.propose();
      await one.look();
    }
    const before = await world.mirrors();
    expect(before).toHaveLength(2);
    await team.client.delete(GitRepository, { namespace: team.namespace, name: repositoryName });
    await eventually(async () => expect(await world.mirrors()).toHaveLength(1));
    expect(before).toEqual(expect.arrayContaining(await world.mirrors()));
  });
});
