import { beforeAll, describe, expect, it } from '@jest/globals';
import { isTyped, messageOf, ProposedCommit, PromotionStrategy } from '@interlock/api';
import { eventually } from '@interlock/kube/testing';
import { repositoryName } from '@interlock/stack';
import { conditionOf, strategyName, type Environment, type Team } from './harness/team.js';
import { useFixture } from './harness/fixture.js';

const fixture = useFixture();

/** Returns the sentence with which the API server refuses a strategy. */
async function refusal(team: Team, environments: Environment[]): Promise<string> {
  const error: unknown = await create(team, environments).then(
    () => undefined,
    (refused: unknown) => refused,
  );
  expect(isTyped(error, 'Invalid')).toBe(true);
  return messageOf(error);
}

/** Creates a strategy as a dry run. */
function create(team: Team, environments: Environment[]): Promise<PromotionStrategy> {
  return fixture.platform.client.create(
    PromotionStrategy,
    {
      metadata: { name: strategyName, namespace: team.namespace },
      spec: { repoRef: { name: repositoryName }, environments },
    },
    { dryRun: true },
  );
}

describe('dependsOn', () => {
  it('promotes environments in parallel, and waits for all environments that it names', async () => {
    const team = await fixture.team({ environments: ['dev', 'eu', 'us', 'prod'] });
    await team.applyStrategy({
      environments: [
        'dev',
        { branch: 'eu', dependsOn: ['dev'] },
        { branch: 'us', dependsOn: ['dev'], proposedCommitStatuses: [{ key: 'approval' }] },
        { branch: 'prod', dependsOn: ['eu', 'us'] },
      ],
    });
    const { drySHA, hydrated } = await team.propose();
    await team.refresh();
    await team.runs('eu', drySHA);
    await team.refreshAndRest();
    expect(await team.check('us', 'Order')).toMatchObject({ state: 'success' });
    expect(await team.check('us', 'approval')).toMatchObject({ reason: 'Missing' });
    expect(await team.check('prod', 'Order')).toMatchObject({
      state: 'pending',
      message: expect.stringMatching(/^us runs /),
    });
    expect(team.mergeRequests()).toHaveLength(2);
    await team.report('approval', hydrated['us'] ?? '', 'success');
    await team.runs('prod', drySHA);
  });

  it('stalls a strategy whose environments wait for each other, and names them', async () => {
    const team = await fixture.team();
    await team.applyStrategy({
      environments: [
        { branch: 'dev', dependsOn: ['prod'] },
        { branch: 'test', dependsOn: ['dev'] },
        { branch: 'prod', dependsOn: ['test'] },
      ],
    });
    await team.propose();
    await eventually(async () => {
      const strategy = await team.strategy();
      expect(conditionOf(strategy, 'Ready')).toMatchObject({ status: 'False' });
      const stalled = conditionOf(strategy, 'Stalled');
      expect(stalled).toMatchObject({ status: 'True', reason: 'DependencyCycle' });
      expect(stalled.message).toMatch(
        /spec\.environments\[\]\.dependsOn: dev depends on prod, which depends on test, which depends on dev;/,
      );
    });
    await fixture.rest();
    const { items } = await fixture.platform.client.list(ProposedCommit, { namespace: team.namespace });
    expect(items).toEqual([]);

    await team.applyStrategy();
    await team.refresh();
    await team.runs('prod', await team.dryTip());
    expect(conditionOf(await team.strategy(), 'Ready')).toMatchObject({ status: 'True' });
  });
});

describe('an environment that runs a newer commit', () => {
  it('keeps its earlier commit out of the environments after the next one', async () => {
    const team = await fixture.team();
    await team.applyStrategy({
      environments: ['dev', 'test', { branch: 'prod', proposedCommitStatuses: [{ key: 'approval' }] }],
    });
    const first = await team.propose();
    await team.refresh();
    await team.runs('test', first.drySHA);
    const second = await team.propose('dev');
    await team.refresh();
    await team.runs('dev', second.drySHA);
    await team.report('approval', first.hydrated['prod'] ?? '', 'success');
    await team.refreshAndRest();
    expect(await team.check('prod', 'Order')).toMatchObject({
      state: 'pending',
      message: expect.stringMatching(/^dev runs /),
    });
    expect(team.mergeRequests()).toHaveLength(3);

    for (const branch of ['test', 'prod']) await team.hydrate(branch, second.drySHA);
    await team.report('approval', await team.tip('prod-next'), 'success');
    await team.refresh();
    await team.runs('prod', second.drySHA);
  });
});

describe('a hold', () => {
  it('keeps a change out of an environment, with its reason, until it is removed', async () => {
    const team = await fixture.team();
    const held = { branch: 'test', hold: { reason: 'audit until Friday' } };
    await team.applyStrategy({ environments: ['dev', held, 'prod'] });
    const { drySHA, hydrated } = await team.propose();
    await team.refresh();
    await team.runs('dev', drySHA);
    await eventually(async () => {
      expect(await team.check('test', 'NotHeld')).toMatchObject({
        state: 'pending',
        reason: 'Held',
        message: expect.stringContaining('audit until Friday'),
      });
      expect((await team.promotionStatus('test')).spec).toMatchObject({
        sha: hydrated['test'],
        phase: 'in_progress',
        description: expect.stringContaining('audit until Friday'),
      });
    });
    await team.refreshAndRest();
    expect(team.mergeRequests()).toHaveLength(1);
    await team.applyStrategy();
    await team.runs('prod', drySHA);
  });
});

describe('a change that is older than the active commit', () => {
  it('is not promoted', async () => {
    const team = await fixture.team({ environments: ['dev', 'test'] });
    await team.applyStrategy();
    const older = await team.commitDry();
    const newer = await team.propose();
    await team.refresh();
    await team.runs('test', newer.drySHA);
    await team.hydrate('dev', older);
    await team.refreshAndRest();
    await eventually(async () => {
      expect(await team.check('dev', 'Forward')).toMatchObject({ state: 'pending', reason: 'Backwards' });
    });
    await team.refreshAndRest();
    expect((await team.environment('dev')).active?.drySHA).toBe(newer.drySHA);
    expect(team.mergeRequests()).toHaveLength(2);
    const next = await team.propose();
    await team.refresh();
    await team.runs('test', next.drySHA);
  });
});

describe('the dry branch', () => {
  /** Hydrates a dry commit for every environment, and waits until the promoter is idle. */
  const hydrateAll = async (team: Team, drySHA: string) => {
    for (const branch of ['dev', 'test']) await team.hydrate(branch, drySHA);
    await team.refreshAndRest();
  };
  /** Makes a commit with the content of the first parent. */
  const merge = (team: Team, ...parents: [string, ...string[]]) =>
    team.local.git([
      'commit-tree',
      `${parents[0]}^{tree}`,
      ...parents.flatMap((one) => ['-p', one]),
      '-m',
      'merge',
    ]);

  it('has to contain a commit before the commit is promoted', async () => {
    const team = await fixture.team({ environments: ['dev', 'test'] });
    await team.applyStrategy();
    await team.local.git(['update-ref', 'refs/heads/feature', 'refs/heads/main']);
    const drySHA = await team.commit('feature', { 'values.yaml': 'text: not merged\n' });
    await hydrateAll(team, drySHA);
    for (const branch of ['dev', 'test']) {
      expect(await team.check(branch, 'Forward')).toMatchObject({
        state: 'pending',
        reason: 'NotOnDryBranch',
        message: expect.stringContaining(`${drySHA.slice(0, 7)} is not on main`),
      });
    }
    expect(team.mergeRequests()).toEqual([]);
    await team.local.git(['update-ref', 'refs/heads/main', await merge(team, await team.dryTip(), drySHA)]);
    await team.refresh();
    await team.runs('test', drySHA);
  });

  it('that was rewritten has diverged, until the active commit is merged into it', async () => {
    const team = await fixture.team({ environments: ['dev', 'test'] });
    await team.applyStrategy();
    const running = (await team.propose()).drySHA;
    await team.refresh();
    await team.runs('test', running);
    await team.local.git(['update-ref', 'refs/heads/main', `${running}~1`]);
    await hydrateAll(team, await team.commitDry('rewritten'));
    const { message } = await team.check('dev', 'Forward');
    expect(await team.check('dev', 'Forward')).toMatchObject({ state: 'pending', reason: 'Diverged' });
    expect(message).toContain(`${running.slice(0, 7)}, active in dev, is not on main`);
    expect(message).toContain('git merge -s ours');
    expect((await team.environment('dev')).active).toMatchObject({ drySHA: running });

    const merged = await merge(team, await team.dryTip(), running);
    await team.local.git(['update-ref', 'refs/heads/main', merged]);
    await hydrateAll(team, merged);
    await team.runs('test', merged);
  });

  it('that was rewritten does not block a user who merges by hand', async () => {
    const team = await fixture.team({ environments: ['dev', 'test'], webhooks: true });
    await team.applyStrategy({ environments: ['dev'] });
    const running = (await team.propose()).drySHA;
    await team.refresh();
    await team.runs('dev', running);
    await team.local.git(['update-ref', 'refs/heads/main', `${running}~1`]);
    const rewritten = await team.commitDry('rewritten');
    await hydrateAll(team, rewritten);
    expect(await team.check('dev', 'Forward')).toMatchObject({ reason: 'Diverged' });
    await fixture.user.merge(team.repository.fullName, (await team.openPull('dev')).number);
    await team.runs('dev', rewritten);
    const { drySHA } = await team.propose();
    await team.refresh();
    await team.runs('dev', drySHA);
  });

  it('that does not exist is reported, and nothing is promoted', async () => {
    const team = await fixture.team({ environments: ['dev'] });
    await team.applyStrategy({ dryBranch: 'nope' });
    await team.propose();
    await team.refreshAndRest();
    const ready = conditionOf(await team.strategy(), 'Ready');
    expect(ready).toMatchObject({ status: 'False', reason: 'DryBranchNotFound' });
    expect(ready.message).toContain('spec.dryBranch: branch nope does not exist');
    expect(await team.check('dev', 'Forward')).toMatchObject({
      state: 'pending',
      reason: 'DryBranchNotFound',
    });
    expect(team.mergeRequests()).toEqual([]);
    await team.applyStrategy();
    await team.runs('dev', await team.dryTip());
    expect(conditionOf(await team.strategy(), 'Ready')).toMatchObject({ status: 'True' });
  });
});

describe('the API server', () => {
  const dev = { branch: 'dev' };
  const other = 'dependsOn must list other environments of this strategy';
  const branch = 'spec.environments[1].branch';
  let team: Team;

  beforeAll(async () => {
    team = await fixture.team({ environments: ['dev'] });
  });

  it.each<[string, string, Environment]>([
    ['a dependsOn that does not name an environment', other, { branch: 'test', dependsOn: ['qa'] }],
    ['a dependsOn that names its own environment', other, { branch: 'test', dependsOn: ['test'] }],
    ['two environments with one branch', 'Duplicate value', dev],
    ['the dry branch', 'an environment branch must not be the dry branch', { branch: 'main' }],
    ...['a..b', '-a', 'a b', 'a.lock', 'a//b', '/a', 'a~1', 'a@{1}'].map(
      (name): [string, string, Environment] => [`the branch ${name}`, branch, { branch: name }],
    ),
  ])('refuses %s with a message', async (_what, sentence, environment) => {
    expect(await refusal(team, [dev, environment])).toContain(sentence);
    const { spec } = await create(team, [dev, { branch: 'a/b.c-d_e', dependsOn: ['dev'] }]);
    expect(spec).toMatchObject({ dryBranch: 'main', proposedBranchSuffix: '-next' });
  });
});
