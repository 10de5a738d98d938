import { expect, it } from '@jest/globals';
import { GitRepository, ScmProvider } from '@interlock/api';
import { eventually } from '@interlock/kube/testing';
import { repositoryName } from '@interlock/stack';
import { conditionOf } from './harness/team.js';
import { useFixture } from './harness/fixture.js';

const fixture = useFixture();

it.each([
  ['', 'forge'],
  [' with another account', 'robot'],
])(
  'refuses to let two strategies share an environment through a second GitRepository%s',
  async (_what, account) => {
    const team = await fixture.team({ environments: ['dev'] });
    const { namespace } = team;
    await team.applyStrategy();
    const { spec } = await team.client.get(GitRepository, { namespace, name: repositoryName });
    const scmProviderRef = { ...spec.scmProviderRef, name: account };
    await team.apply(GitRepository, 'again', { spec: { ...spec, scmProviderRef } });
    await team.applyStrategy({ repoRef: { name: 'again' } }, 'later');
    if (account !== 'forge') {
      const provider = await team.client.get(ScmProvider, { namespace, name: 'forge' });
      await team.apply(ScmProvider, account, { spec: provider.spec });
    }
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
  },
);
