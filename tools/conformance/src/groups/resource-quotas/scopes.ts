import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import { pod, podNamespace, type Resources } from '../../suite/pods.js';
import { countedQuota, refused, usedOf } from '../../suite/quotas.js';
import { accepted, create } from '../../suite/reading.js';
import type { Scope } from '../../suite/scope.js';

interface ScopedPods {
  spec: Readonly<Record<string, unknown>>;
  inside: [Resources, Readonly<Record<string, unknown>>?];
  outside: [Resources, Readonly<Record<string, unknown>>?];
}

/** Checks that a quota refuses pods in its scope, and neither refuses nor counts others. */
async function checkScope(scope: Scope, { spec, inside, outside }: ScopedPods): Promise<void> {
  const path = await podNamespace(scope);
  const quota = await countedQuota(scope, path, { pods: '0' }, spec);
  const answer = await refused(() =>
    scope.api.post(`${path}/pods`, pod('inside', ...inside), { query: { dryRun: 'All' } }),
  );
  expect(answer.body.message).toBe(
    'pods "inside" is forbidden: exceeded quota: quota, requested: pods=1, used: pods=0, limited: pods=0',
  );
  await create(scope, `${path}/pods`, pod('outside', ...outside));
  expect(usedOf(accepted(await scope.api.get(quota)))).toEqual({ pods: '0' });
}

const stated = { requests: { cpu: '100m' } };
const limited = { activeDeadlineSeconds: 3600 };

/** Declares the rules about quotas with scopes. */
export function scopeRules(rule: Rule): void {
  rule('applies a quota of the scope Terminating to pods with a deadline', (scope) =>
    checkScope(scope, { spec: { scopes: ['Terminating'] }, inside: [{}, limited], outside: [{}] }),
  );

  rule('applies a quota of the scope NotTerminating to pods without a deadline', (scope) =>
    checkScope(scope, { spec: { scopes: ['NotTerminating'] }, inside: [{}], outside: [{}, limited] }),
  );

  rule('applies a quota of the scope BestEffort to pods that state no cpu and memory', (scope) =>
    checkScope(scope, { spec: { scopes: ['BestEffort'] }, inside: [{}], outside: [stated] }),
  );

  rule('applies a quota of several scopes to pods that are in all of them', (scope) =>
    checkScope(scope, {
      spec: { scopes: ['NotBestEffort', 'Terminating'] },
      inside: [stated, limited],
      outside: [stated],
    }),
  );

  rule('applies a quota to pods whose priority class it selects', async (scope) => {
    const name = scope.name('selected');
    const priorityClass = {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name },
      value: 1,
    };
    await create(scope, '/apis/scheduling.k8s.io/v1/priorityclasses', priorityClass);
    scope.deleteAfterwards(`/apis/scheduling.k8s.io/v1/priorityclasses/${name}`);
    const matchExpressions = [{ scopeName: 'PriorityClass', operator: 'In', values: [name] }];
    await checkScope(scope, {
      spec: { scopeSelector: { matchExpressions } },
      inside: [{}, { priorityClassName: name }],
      outside: [{}],
    });
  });
}
