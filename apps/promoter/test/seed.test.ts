import { describe, expect, it } from '@jest/globals';
import {
  CommitStatus,
  PromotionStrategy,
  ProposedCommit,
  PullRequest,
  type KubeObject,
  type Kind,
} from '@interlock/api';
import { eventually } from '@interlock/kube/testing';
import { proposalExamples } from '@interlock/stack';
import { parse } from 'yaml';
import { conditionOf, type Team } from './harness/team.js';
import { useFixture } from './harness/fixture.js';

const fixture = useFixture();

function create<T extends KubeObject>(team: Team, kind: Kind<T>, manifest: string): Promise<T> {
  const object = parse(manifest) as KubeObject;
  const metadata = { ...object.metadata, namespace: team.namespace };
  return fixture.platform.client.create(kind, { ...object, metadata });
}

describe('the examples of the proposal', () => {
  it('include a PromotionStrategy that promotes as documented', async () => {
    const team = await fixture.team({ webhooks: true });
    await create(team, PromotionStrategy, proposalExamples.promotionStrategy);
    const ready = async () => conditionOf(await team.strategy('example'), 'Ready');
    await eventually(async () => expect(await ready()).toMatchObject({ status: 'True' }));

    const { drySHA, hydrated } = await team.propose();
    const environment = async (branch: string) => {
      const { status } = await team.strategy('example');
      return status?.environments?.find((one) => one.branch === branch);
    };
    const lint = (branch: string) => team.report('kubelint', hydrated[branch] ?? '', 'success');
    const healthy = async (branch: string, ...keys: string[]) => {
      const sha = await eventually(async () => {
        const active = (await environment(branch))?.active;
        expect(active?.drySHA).toBe(drySHA);
        return active?.hydratedSHA ?? '';
      });
      for (const key of ['argocd-sync', 'argocd-health', ...keys]) await team.report(key, sha, 'success');
    };
    await fixture.platform.client.patch(
      PromotionStrategy,
      { namespace: team.namespace, name: 'example' },
      {
        type: 'merge',
        patch: { metadata: { annotations: { 'promotor.argoproj.io/refreshedAt': '2024-03-13T00:00:00Z' } } },
      },
    );
    for (const branch of ['dev', 'test', 'prod']) await lint(branch);
    await healthy('dev');
    await healthy('test', 'load-test');
    await team.report('prod-deployment-freeze', hydrated['prod'] ?? '', 'success');
    const waiting = await eventually(async () => {
      const { metadata } = await team.strategy('example');
      const { items } = await fixture.platform.client.list(ProposedCommit, { namespace: team.namespace });
      const child = items.find(({ spec }) => spec.activeBranch === 'prod');
      expect(child?.metadata.ownerReferences).toMatchObject([{ uid: metadata.uid }]);
      const promoted = conditionOf(child ?? {}, 'Promoted');
      expect(promoted.reason).toBe('WaitingForPerson');
      return promoted;
    });
    const { number } = await team.openPull('prod');
    expect(waiting.message).toContain(`/pull/${number}`);
    await fixture.user.merge(team.repository.fullName, number);
    await healthy('prod');
  });

  it('include a ProposedCommit that is reconciled, and is reconciled again when its annotation changes', async () => {
    const team = await fixture.team({ environments: ['dev'] });
    await create(team, ProposedCommit, proposalExamples.proposedCommit);
    const key = { namespace: team.namespace, name: 'example' };
    const status = async () => {
      const object = await fixture.platform.client.get(ProposedCommit, key);
      expect(conditionOf(object, 'Ready')).toMatchObject({ status: 'True' });
      return object.status;
    };
    const first = await team.tip('dev');
    await eventually(async () => {
      expect((await status())?.active).toMatchObject({ hydratedSHA: first, commitStatus: 'in-progress' });
    });
    await fixture.rest();
    const { drySHA, hydrated } = await team.propose();
    const refreshedAt = { 'promotor.argoproj.io/refreshedAt': '2024-03-13T00:00:00Z' };
    await fixture.platform.client.patch(ProposedCommit, key, {
      type: 'merge',
      patch: { metadata: { annotations: refreshedAt } },
    });
    await eventually(async () => {
      expect(await status()).toMatchObject({
        proposed: { drySHA, hydratedSHA: hydrated['dev'] },
        commitStatuses: [
          { key: 'image-allowed', phase: 'pending' },
          { key: 'code-freeze', phase: 'pending' },
          { key: 'promotion', phase: 'pending' },
        ],
      });
    });
    for (const name of ['image-allowed', 'code-freeze', 'promotion']) {
      await team.report(name, hydrated['dev'] ?? '', 'success');
    }
    await eventually(async () => expect((await status())?.active).toMatchObject({ drySHA }));
  });

  it('include a CommitStatus that is accepted', async () => {
    const team = await fixture.team({ environments: ['dev'] });
    const { spec } = await create(team, CommitStatus, proposalExamples.commitStatus);
    expect(spec).toMatchObject({ sha: 'xyz321', phase: 'success' });
  });

  it('include a PullRequest that does not name a repository and is opened in the only GitRepository', async () => {
    const team = await fixture.team({ environments: ['dev'] });
    const { hydrated } = await team.propose();
    await create(team, PullRequest, proposalExamples.pullRequest);
    const opened = await eventually(async () => {
      const object = await fixture.platform.client.get(PullRequest, {
        namespace: team.namespace,
        name: 'example',
      });
      expect(conditionOf(object, 'Ready')).toMatchObject({ status: 'True' });
      expect(object.status).toMatchObject({ state: 'open', headSHA: hydrated['dev'] });
      return object;
    });
    expect(await team.openPull('dev')).toMatchObject({
      number: opened.status?.plugin?.github?.id,
      title: 'Promote to dev',
      body: 'What dev gets next',
      head: 'dev-next',
    });
    await fixture.rest();
    expect(team.mergeRequests()).toEqual([]);
  });
});
