import { describe, expect, it } from '@jest/globals';
import { ArgoCDCommitStatus, CommitStatus, type CommitStatusPhase } from '@interlock/api';
import { eventually } from '@interlock/kube/testing';
import { ensureNamespace, repositoryName } from '@interlock/stack';
import { Application } from '../src/argocd/application.js';
import { settleMs } from '../src/sources/settle.js';
import { argoKinds } from './harness/foreign-kinds.js';
import { sameCommit } from './harness/strategy-team.js';
import { useFixture } from './harness/fixture.js';

const key = 'argocd-health';

const fixture = useFixture({ kinds: argoKinds });

describe('an ArgoCDCommitStatus', () => {
  it('reports each environment when its health has lasted for the settle time, and then reports new commits', async () => {
    const team = await fixture.strategyTeam('dev', 'prod');
    const [one, two] = [await team.commit(), await team.commit()];
    await team.activate({ dev: one, prod: two });
    await team.application('shop-dev', 'dev', one);
    await team.application('shop-prod', 'prod', one);
    await team.argocd();
    const first = await team.says(key, { dev: [one, 'in_progress'], prod: [two, 'in_progress'] });
    await team.observes(ArgoCDCommitStatus, { dev: 'success', prod: 'in_progress' });
    expect(first['dev']).toMatchObject({
      metadata: { ownerReferences: [{ kind: 'ArgoCDCommitStatus', name: 'health', controller: true }] },
      spec: { name: 'argocd-health/dev', repoRef: { name: repositoryName } },
    });
    await fixture.forward(settleMs);
    await team.says(key, { dev: [one, 'success'], prod: [two, 'in_progress'] });

    await team.application('shop-prod', 'prod', two);
    await team.observes(ArgoCDCommitStatus, { dev: 'success', prod: 'success' });
    await fixture.forward(settleMs);
    await team.says(key, { dev: [one, 'success'], prod: [two, 'success'] });

    await team.activate({ dev: two });
    await team.says(key, { dev: [two, 'in_progress'], prod: [two, 'success'] });
    await team.application('shop-dev', 'dev', two, 'Progressing');
    await eventually(async () => {
      const { dev } = await team.reports(key);
      expect(dev?.spec.description).toBe(
        `0 of 1 Applications are healthy on ${two.slice(0, 7)}; ${team.namespace}/shop-dev is Progressing and Synced`,
      );
    });
    await fixture.forward(settleMs);
    await team.says(key, { dev: [two, 'in_progress'], prod: [two, 'success'] });
    expect(await team.ready(ArgoCDCommitStatus, 'Reported')).toMatchObject({
      message: 'dev: in_progress, prod: success',
    });
  });

  it('fails when one of several Applications fails', async () => {
    const team = await fixture.strategyTeam('dev');
    const one = await team.commit();
    await team.activate({ dev: one });
    for (const name of ['a', 'b', 'c']) await team.application(name, 'dev', one);
    await team.application('b', 'dev', one, 'Degraded');
    await team.argocd();
    await team.observes(ArgoCDCommitStatus, { dev: 'failure' });
    await team.says(key, { dev: [one, 'in_progress'] });
    await fixture.forward(settleMs);
    await team.says(key, { dev: [one, 'failure'] });
    await team.application('b', 'dev', one);
    await team.observes(ArgoCDCommitStatus, { dev: 'success' });
    await team.says(key, { dev: [one, 'in_progress'] });
    await fixture.forward(settleMs);
    await team.says(key, { dev: [one, 'success'] });
  });

  it('waits with a message while nothing is selected', async () => {
    const team = await fixture.strategyTeam('dev');
    const one = await team.commit();
    await team.activate({ dev: one });
    await team.argocd({ namespaces: ['nowhere'] });
    const { dev } = await team.says(key, { dev: [one, 'in_progress'] });
    expect(dev?.spec.description).toContain(
      'no Application that spec.applicationSelector selects in namespace nowhere',
    );
  });

  it('is woken with every other ArgoCDCommitStatus that selects the same Application, in any namespace', async () => {
    await ensureNamespace(fixture.client, 'argocd');
    const [first, second] = [await fixture.strategyTeam('dev'), await fixture.strategyTeam('dev')];
    const one = await sameCommit(first, second);
    const team = first.namespace;
    const sources = [first, second].map(({ repository }) => ({
      repoURL: repository.cloneUrl,
      targetRevision: 'dev',
    }));
    const shared = (health: string) =>
      fixture.client.apply(
        Application,
        {
          metadata: { name: 'shared', namespace: 'argocd', labels: { team } },
          spec: { sources },
          status: { health: { status: health }, sync: { status: 'Synced', revisions: [one, one] } },
        },
        { fieldManager: 'argocd' },
      );
    await shared('Healthy');
    for (const each of [first, second]) {
      await each.activate({ dev: one });
      const selector = { applicationSelector: { matchLabels: { team } } };
      await each.argocd({ ...selector, namespaces: ['argocd'] });
      await each.argocd({ ...selector, namespaces: ['*'], key: 'anywhere' }, 'anywhere');
      await each.argocd({ ...selector, key: 'own' }, 'own');
    }
    const bothSay = async (phase: CommitStatusPhase): Promise<void> => {
      for (const each of [first, second]) {
        await each.observes(ArgoCDCommitStatus, { dev: phase });
        await each.observes(ArgoCDCommitStatus, { dev: phase }, 'anywhere');
      }
      await fixture.forward(settleMs);
      for (const each of [first, second]) {
        await each.says(key, { dev: [one, phase] });
        await each.says('anywhere', { dev: [one, phase] });
        await each.says('own', { dev: [one, 'in_progress'] });
      }
    };
    await bothSay('success');
    await shared('Degraded');
    await bothSay('failure');
  });

  it('uses only objects of its own namespace, even if another namespace has objects with the same names', async () => {
    const [good, bad] = [await fixture.strategyTeam('dev'), await fixture.strategyTeam('dev')];
    const [one, two] = [await sameCommit(good, bad), await sameCommit(good, bad)];
    for (const team of [good, bad]) {
      await team.activate({ dev: one });
      await team.application('shop', 'dev', one, team === good ? 'Healthy' : 'Degraded', 'same');
      await team.argocd({ applicationSelector: { matchLabels: { team: 'same' } } });
      await team.observes(ArgoCDCommitStatus, { dev: team === good ? 'success' : 'failure' });
    }
    await fixture.forward(settleMs);
    await good.says(key, { dev: [one, 'success'] });
    await bad.says(key, { dev: [one, 'failure'] });
    await bad.activate({ dev: two });
    await bad.says(key, { dev: [two, 'in_progress'] });
    await fixture.sync.rest();
    await good.says(key, { dev: [one, 'success'] });
  });

  it('restores a changed CommitStatus, removes an obsolete one, and deletes all its CommitStatuses with itself', async () => {
    const team = await fixture.strategyTeam('dev', 'prod');
    const one = await team.commit();
    await team.activate({ dev: one, prod: one });
    await team.argocd();
    const { dev } = await team.says(key, { dev: [one, 'in_progress'], prod: [one, 'in_progress'] });
    const target = { namespace: team.namespace, name: dev?.metadata.name ?? '' };
    await fixture.client.patch(CommitStatus, target, {
      type: 'merge',
      patch: { spec: { phase: 'success' } },
    });
    await eventually(async () => {
      const { metadata, spec } = await fixture.client.get(CommitStatus, target);
      expect(metadata.generation).toBeGreaterThan(2);
      expect(spec.phase).toBe('in_progress');
    });
    await fixture.client.delete(CommitStatus, target);
    await team.says(key, { dev: [one, 'in_progress'], prod: [one, 'in_progress'] });

    await team.applyStrategy({ environments: [{ branch: 'prod' }] });
    await team.says(key, { prod: [one, 'in_progress'] });
    await fixture.client.delete(ArgoCDCommitStatus, { namespace: team.namespace, name: 'health' });
    await team.says(key, {});
  });

  it('keeps its reports across a restart', async () => {
    const team = await fixture.strategyTeam('dev');
    const one = await team.commit();
    const before = await team.runHealthy(one);
    await fixture.restart();
    const after = await team.reports(key);
    expect(after['dev']?.metadata.generation).toBe(before['dev']?.metadata.generation);
    await fixture.client.delete(Application, { namespace: team.namespace, name: 'shop' });
    await team.says(key, { dev: [one, 'in_progress'] });
  });

  it('names the strategy that is missing', async () => {
    const team = await fixture.strategyTeam('dev');
    await team.argocd({ promotionStrategyRef: { name: 'gone' } });
    expect(await team.ready(ArgoCDCommitStatus, 'PromotionStrategyNotFound')).toMatchObject({
      status: 'False',
      message: expect.stringContaining('gone'),
    });
  });

  it.each([
    ['a key that is not a label value', { key: 'a b' }],
    ['* together with a namespace', { namespaces: ['*', 'argocd'] }],
    [
      'an operator that does not exist',
      { applicationSelector: { matchExpressions: [{ key: 'a', operator: 'Is' }] } },
    ],
    ['a url without scheme', { url: { template: 'argocd.example.com' } }],
  ])('is refused with %s', async (_case, spec) => {
    const team = await fixture.strategyTeam('dev');
    await expect(team.argocd(spec)).rejects.toMatchObject({ type: 'Invalid' });
  });
});
