import { expect } from 'expect';
import { defineGroup } from '../suite/case.js';
import { configMap } from '../suite/objects.js';

export const optimisticLocking = defineGroup(
  'optimistic-locking',
  { source: 'https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions' },
  (rule) => {
    rule('refuses an update with a stale resourceVersion with 409 Conflict', async (scope) => {
      const name = scope.name('stale');
      const path = scope.core('configmaps', name);
      const created = await scope.api.post(scope.core('configmaps'), configMap(name, { step: '1' }));
      const changed = { ...created.body, data: { step: '2' } };
      expect((await scope.api.put(path, changed)).status).toBe(200);
      const stale = await scope.api.put(path, { ...created.body, data: { step: '3' } });
      expect(stale.status).toBe(409);
      expect(stale.body).toMatchObject({ kind: 'Status', status: 'Failure', reason: 'Conflict', code: 409 });
      expect(stale.body.message).toContain('the object has been modified');
    });

    rule('accepts an update without a resourceVersion as unconditional', async (scope) => {
      const name = scope.name('unconditional');
      await scope.api.post(scope.core('configmaps'), configMap(name, { step: '1' }));
      const answer = await scope.api.put(scope.core('configmaps', name), configMap(name, { step: '2' }));
      expect(answer.status).toBe(200);
      expect(answer.body.data).toEqual({ step: '2' });
    });
  },
);
