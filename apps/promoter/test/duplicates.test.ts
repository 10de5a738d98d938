import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { GitRepository } from '@interlock/api';
import { eventually } from '@interlock/kube/testing';
import { repositoryName } from '@interlock/stack';
import { conditionOf } from './harness/team.js';
import { World } from './harness/world.js';

let world: World;

beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.close());

it('a second GitRepository of the same repository does not let two strategies have one environment', async () => {
  const team = await world.team({ environments: ['dev'] });
  await team.applyStrategy();
  const { spec } = await team.client.get(GitRepository, { namespace: team.namespace, name: repositoryName });
  await team.apply(GitRepository, 'again', { spec });
  await team.applyStrategy({ repoRef: { name: 'again' } }, 'later');
  await eventually(async () => {
    expect(conditionOf(await team.strategy('later'), 'Stalled')).toMatchObject({
      status: 'True',
      reason: 'OverlappingEnvironment',
      message: expect.stringContaining('belongs to PromotionStrategy app'),
    });
  });
  await team.deleteStrategy();
  await eventually(async () => {
    expect(conditionOf(await team.strategy('later'), 'Ready')).toMatchObject({ status: 'True' });
  });
});
