import { expect } from 'expect';
import { awaitStatus, createBudget, createReady, evict } from '../../suite/budgets.js';
import type { Body } from '../../suite/body.js';
import type { Rule } from '../../suite/case.js';
import { createNode, createPod, createRunning, podPath, setStatus } from '../../suite/running-pods.js';
import type { Scope } from '../../suite/scope.js';

const violation = "Cannot evict pod as it would violate the pod's disruption budget.";

function firstOf(pods: readonly Body[]): Body {
  const [pod] = pods;
  if (pod === undefined) throw new Error('a pod is missing');
  return pod;
}

async function isThere(scope: Scope, { metadata }: Body): Promise<boolean> {
  const { status, body } = await scope.api.get(podPath(scope.namespace, metadata.name));
  return status === 200 && body.metadata.deletionTimestamp === undefined;
}

/** Declares the rules about evictions. Source: https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/ */
export function evictionRules(rule: Rule): void {
  requestRules(rule);
  budgetRules(rule);
  unhealthyRules(rule);
}

function requestRules(rule: Rule): void {
  rule('evicts a pod that no budget is for', async (scope) => {
    const pod = await createPod(scope);
    const answer = await evict(scope, pod);
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ kind: 'Status', apiVersion: 'v1', status: 'Success', code: 201 });
    expect(await isThere(scope, pod)).toBe(false);
  });

  rule('answers the eviction of a missing pod with 404', async (scope) => {
    const pod = await createPod(scope);
    const missing = { ...pod, metadata: { ...pod.metadata, name: scope.name('missing') } };
    const answer = await evict(scope, missing);
    expect({ status: answer.status, reason: answer.body.reason }).toEqual({
      status: 404,
      reason: 'NotFound',
    });
  });

  rule('refuses an eviction that carries the name of another pod', async (scope) => {
    const pod = await createPod(scope);
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'other' } };
    const answer = await scope.api.post(`${podPath(scope.namespace, pod.metadata.name)}/eviction`, body);
    expect({ status: answer.status, reason: answer.body.reason }).toEqual({
      status: 400,
      reason: 'BadRequest',
    });
    expect(await isThere(scope, pod)).toBe(true);
  });

  rule('changes nothing with an eviction that is a dry run', async (scope) => {
    const pod = await createPod(scope);
    expect((await evict(scope, pod, { dryRun: ['All'] })).status).toBe(201);
    expect((await evict(scope, pod, undefined, { dryRun: 'All' })).status).toBe(201);
    expect(await isThere(scope, pod)).toBe(true);
  });

  rule('refuses an eviction whose preconditions do not hold', async (scope) => {
    const pod = await createPod(scope);
    const uid = '11111111-2222-3333-4444-555555555555';
    const refused = await evict(scope, pod, { preconditions: { uid } });
    expect({ status: refused.status, reason: refused.body.reason }).toEqual({
      status: 409,
      reason: 'Conflict',
    });
    expect(await isThere(scope, pod)).toBe(true);
    const right = { preconditions: { uid: pod.metadata.uid } };
    expect((await evict(scope, pod, right)).status).toBe(201);
  });

  rule(
    'gives a pod on a node the grace period of the eviction, and the condition DisruptionTarget',
    async (scope) => {
      const pod = await createRunning(scope, await createNode(scope));
      expect((await evict(scope, pod, { gracePeriodSeconds: 120 })).status).toBe(201);
      const { body } = await scope.api.get(podPath(scope.namespace, pod.metadata.name));
      expect(body.metadata).toMatchObject({ deletionGracePeriodSeconds: 120 });
      expect(body.metadata.deletionTimestamp).toEqual(expect.any(String));
      const { conditions } = body.status as { conditions: { type: string }[] };
      expect(conditions.find(({ type }) => type === 'DisruptionTarget')).toMatchObject({
        status: 'True',
        reason: 'EvictionByEvictionAPI',
        message: 'Eviction API: evicting',
      });
    },
  );
}

function budgetRules(rule: Rule): void {
  rule(
    'refuses the eviction of a pod that its budget requires',
    async (scope) => {
      const { app, pods } = await createReady(scope, 1);
      const path = await createBudget(scope, app, { minAvailable: 1 }, { currentHealthy: 1 });
      const answer = await evict(scope, firstOf(pods));
      expect(answer.status).toBe(429);
      expect(answer.body).toMatchObject({ kind: 'Status', reason: 'TooManyRequests', message: violation });
      const name = path.split('/').at(-1) ?? '';
      expect(answer.body.details?.causes).toEqual([
        {
          reason: 'DisruptionBudget',
          message: `The disruption budget ${name} needs 1 healthy pods and has 1 currently`,
        },
      ]);
      expect(await isThere(scope, firstOf(pods))).toBe(true);
      expect((await evict(scope, firstOf(pods), { dryRun: ['All'] })).status).toBe(429);
    },
    'controllers',
  );

  rule(
    'evicts as many pods as the budget allows',
    async (scope) => {
      const { app, pods } = await createReady(scope, 3);
      const path = await createBudget(scope, app, { minAvailable: 2 }, { disruptionsAllowed: 1 });
      const answers: number[] = [];
      for (const pod of pods) answers.push((await evict(scope, pod)).status);
      expect(answers).toEqual([201, 429, 429]);
      await awaitStatus(scope, path, { disruptionsAllowed: 0, currentHealthy: 2 });
    },
    'controllers',
  );

  rule(
    'answers 500 for a pod with more than one budget',
    async (scope) => {
      const { app, pods } = await createReady(scope, 1);
      await createBudget(scope, app, { minAvailable: 0 }, { disruptionsAllowed: 1 });
      await createBudget(scope, app, { minAvailable: 0 }, { disruptionsAllowed: 1 });
      const answer = await evict(scope, firstOf(pods));
      expect(answer.status).toBe(500);
      expect(answer.body.message).toBe(
        'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
      );
      expect(await isThere(scope, firstOf(pods))).toBe(true);
    },
    'controllers',
  );
}

function unhealthyRules(rule: Rule): void {
  rule(
    'evicts pods that have not started or have ended, whatever the budget',
    async (scope) => {
      const app = scope.name('app');
      const metadata = { labels: { app } };
      const [pending, ended] = [await createPod(scope, { metadata }), await createPod(scope, { metadata })];
      await setStatus(scope, ended, { phase: 'Succeeded' });
      await createBudget(scope, app, { minAvailable: 2 }, { disruptionsAllowed: 0, currentHealthy: 0 });
      for (const pod of [pending, ended]) {
        expect((await evict(scope, pod)).status).toBe(201);
        expect(await isThere(scope, pod)).toBe(false);
      }
    },
    'controllers',
  );

  rule(
    'evicts a pod that is not ready while its budget has the pods that it requires',
    async (scope) => {
      const { app, pods } = await createReady(scope, 1);
      const unready = await createRunning(scope, await createNode(scope), {
        ready: false,
        metadata: { labels: { app } },
      });
      await createBudget(scope, app, { minAvailable: 1 }, { disruptionsAllowed: 0, currentHealthy: 1 });
      expect((await evict(scope, unready)).status).toBe(201);
      expect((await evict(scope, firstOf(pods))).status).toBe(429);
    },
    'controllers',
  );

  rule(
    'evicts a pod that is not ready below the budget if the policy is AlwaysAllow',
    async (scope) => {
      const { app, pods } = await createReady(scope, 1, { ready: false });
      const path = await createBudget(scope, app, { minAvailable: 1 }, { currentHealthy: 0 });
      expect((await evict(scope, firstOf(pods))).status).toBe(429);
      await scope.api.patch(path, 'merge', { spec: { unhealthyPodEvictionPolicy: 'AlwaysAllow' } });
      await awaitStatus(scope, path, { currentHealthy: 0 });
      expect((await evict(scope, firstOf(pods))).status).toBe(201);
    },
    'controllers',
  );
}
