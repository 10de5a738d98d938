import { describe, expect, it } from '@jest/globals';
import { isTyped, RevertCommit } from '@interlock/api';
import { eventually } from '@interlock/kube/testing';
import { proposalExamples } from '@interlock/stack';
import { parse } from 'yaml';
import { badChange, becomes, createRevert, getRevert, type RevertFixture } from './harness/reverts.js';
import { conditionOf } from './harness/team.js';
import { useFixture } from './harness/fixture.js';

const fixture = useFixture();

describe('the example of the proposal', () => {
  it('proposes to return to the dry commit that it names', async () => {
    const { team, good, wanted } = await badChange(fixture);
    const manifest = parse(proposalExamples.revertCommit.replace('DRY', good.drySHA)) as RevertCommit;
    const metadata = { ...manifest.metadata, namespace: team.namespace };
    await team.client.create(RevertCommit, { ...manifest, metadata });
    expect(await becomes(team, 'Open', 'example')).toMatchObject({
      target: { drySHA: good.drySHA, treeSHA: wanted },
    });
    await eventually(async () => {
      expect(await team.tree((await team.openPull('test')).headSHA)).toBe(wanted);
    });
  });
});

describe('the target', () => {
  it('may be a dry commit that no strategy recorded as healthy', async () => {
    const team = await fixture.team({ environments: ['test'] });
    const first = await team.dryTip();
    const content = await team.tree(await team.tip('test'));
    await team.applyStrategy({ activeCommitStatuses: [{ key: 'health' }] });
    for (let change = 0; change < 2; change++) {
      const { drySHA } = await team.propose();
      await team.refresh();
      await team.runs('test', drySHA);
    }
    await createRevert(team, { drySHA: first, mode: 'Auto' });
    expect(await becomes(team, 'Merged')).toMatchObject({ target: { drySHA: first } });
    expect(await team.tree(await team.tip('test'))).toBe(content);
  });

  it('may be a commit of the environment branch, even if there is no strategy', async () => {
    const team = await fixture.team({ environments: ['test'] });
    const first = await team.tip('test');
    await team.commit('test', { 'manifest.yaml': 'a: change by hand\n' });
    await createRevert(team, { hydratedSHA: first, mode: 'Auto' });
    expect(await becomes(team, 'Merged')).toMatchObject({ target: { hydratedSHA: first } });
    expect(await team.tree(await team.tip('test'))).toBe(await team.tree(first));
  });
});

describe('an invalid target', () => {
  interface Case {
    name: string;
    spec: (scenario: RevertFixture) => Promise<Partial<RevertCommit['spec']>> | Partial<RevertCommit['spec']>;
    reason: string;
    message: string;
  }
  const cases: Case[] = [
    {
      name: 'a dry commit that the environment never ran',
      spec: async ({ team }) => ({ drySHA: await team.commitDry() }),
      reason: 'TargetNotFound',
      message: 'spec.drySHA',
    },
    {
      name: 'a commit of another environment',
      spec: async ({ team }) => ({ hydratedSHA: await team.tip('prod') }),
      reason: 'NotInHistory',
      message: 'spec.hydratedSHA',
    },
    {
      name: 'a commit that does not exist',
      spec: () => ({ hydratedSHA: 'a'.repeat(40) }),
      reason: 'NotInHistory',
      message: 'spec.hydratedSHA',
    },
    {
      name: 'the commit that the environment runs',
      spec: ({ unwanted }) => ({ hydratedSHA: unwanted }),
      reason: 'NothingToRevert',
      message: 'choose another target',
    },
    {
      name: 'a commit newer than the rejected one',
      spec: async ({ team, good }) => {
        await createRevert(team, { mode: 'Auto', drySHA: good.drySHA }, 'first');
        await becomes(team, 'Merged', 'first');
        const bad = await team.local.git(['rev-parse', 'test~1']);
        return { hydratedSHA: bad };
      },
      reason: 'TargetIsNewer',
      message: 'promote it',
    },
    {
      name: 'a commit to revert that was never active',
      spec: async ({ team, good }) => ({ drySHA: good.drySHA, revertOf: await team.tip('prod') }),
      reason: 'NotInHistory',
      message: 'spec.revertOf',
    },
  ];

  it.each(cases)('$name is refused, and holds nothing', async ({ spec, reason, message }) => {
    const scenario = await badChange(fixture);
    const { team } = scenario;
    const fields = await spec(scenario);
    const tip = await team.tip('test');
    await createRevert(team, { mode: 'Auto', ...fields });
    await eventually(async () => {
      const stalled = conditionOf(await getRevert(team), 'Stalled');
      expect(stalled).toMatchObject({ status: 'True', reason, message: expect.stringContaining(message) });
    });
    await fixture.rest();
    const { status } = await getRevert(team);
    expect([status?.state, status?.inForce, status?.branch]).toEqual(['Pending', undefined, undefined]);
    expect(await team.tip('test')).toBe(tip);
  });

  it.each<[string, Partial<RevertCommit['spec']>, string, string]>([
    [
      'in an environment branch that does not exist',
      { activeBranch: 'tset' },
      'BranchNotFound',
      'spec.activeBranch: branch tset',
    ],
    [
      'in a GitRepository that does not exist',
      { repoRef: { name: 'deploymens' } },
      'GitRepositoryNotFound',
      'deploymens',
    ],
  ])('is not searched for %s', async (_where, fields, reason, text) => {
    const team = await fixture.team({ environments: ['test'] });
    await createRevert(team, fields);
    await eventually(async () => {
      const message = expect.stringContaining(text);
      expect(conditionOf(await getRevert(team), 'Ready')).toMatchObject({ status: 'False', reason, message });
    });
  });

  it('does not change the commit to revert', async () => {
    const team = await fixture.team({ environments: ['test'] });
    await team.applyStrategy({ activeCommitStatuses: [{ key: 'health' }] });
    const first = await team.propose();
    await team.refresh();
    const unwanted = await team.runs('test', first.drySHA);
    await createRevert(team, { mode: 'Auto' });
    await eventually(async () => {
      const revert = await getRevert(team);
      expect(conditionOf(revert, 'Stalled')).toMatchObject({ reason: 'NoHealthyCommit' });
      expect(revert.status).toMatchObject({ revertOf: unwanted, rejectedDrySHA: first.drySHA });
    });
    await team.report('health', unwanted, 'success');
    const next = await team.propose();
    await team.refresh();
    const wanted = await team.runs('test', next.drySHA);
    expect(await becomes(team, 'Superseded')).toMatchObject({ inForce: false, revertOf: unwanted });
    await fixture.rest();
    expect(await team.tip('test')).toBe(wanted);
  });
});

describe('admission', () => {
  const sha = 'a'.repeat(40);
  const refused = async (action: Promise<unknown>): Promise<string> => {
    const error = await action.catch((failure: unknown) => failure);
    if (!isTyped(error, 'Invalid')) throw new Error(`not refused: ${String(error)}`);
    return error.message;
  };

  it('refuses two targets', async () => {
    const team = await fixture.team({ environments: ['test'] });
    const message = await refused(createRevert(team, { drySHA: sha, hydratedSHA: sha }));
    expect(message).toContain('at most one of drySHA and hydratedSHA');
  });

  it.each([
    ['another target', { drySHA: 'b'.repeat(40) }],
    ['a target of another sort', { drySHA: null, hydratedSHA: sha }],
    ['no target', { drySHA: null }],
    ['another environment', { activeBranch: 'prod' }],
    ['another commit to revert', { revertOf: sha }],
  ])('refuses a later change to %s', async (_case, spec) => {
    const team = await fixture.team({ environments: ['test'] });
    await createRevert(team, { drySHA: sha });
    const key = { namespace: team.namespace, name: 'back' };
    const patch = (change: object) =>
      team.client.patch(RevertCommit, key, { type: 'merge', patch: { spec: change } });
    expect(await refused(patch(spec))).toContain('immutable');
    await patch({ mode: 'Auto', reason: 'another' });
  });
});
