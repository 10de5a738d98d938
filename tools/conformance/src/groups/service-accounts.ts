import { expect } from 'expect';
import { defineGroup } from '../suite/case.js';
import { createServiceAccount, eventually } from '../suite/callers.js';
import { expectInvalid } from '../suite/invalid.js';

function serviceAccount(name: string, fields: object = {}): object {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name }, ...fields };
}

export const serviceAccounts = defineGroup(
  'service-accounts',
  { source: 'https://kubernetes.io/docs/concepts/security/service-accounts/' },
  (rule) => {
    rule('stores service accounts without a Secret for their tokens', async (scope) => {
      const name = scope.name('robot');
      const fields = { automountServiceAccountToken: false, imagePullSecrets: [{ name: 'registry' }] };
      const created = await scope.api.post(scope.core('serviceaccounts'), serviceAccount(name, fields));
      expect(created.status).toBe(201);
      expect(created.body).toMatchObject({ kind: 'ServiceAccount', metadata: { name }, ...fields });
      expect(created.body.metadata.uid).not.toBe('');
      expect(created.body['secrets']).toBeUndefined();
      expect((await scope.api.get(scope.core('serviceaccounts', name))).body).toMatchObject(fields);
    });

    rule('answers the deletion of a service account with the object', async (scope) => {
      const { name, uid } = await createServiceAccount(scope);
      const deleted = await scope.api.delete(scope.core('serviceaccounts', name));
      expect(deleted.status).toBe(200);
      expect(deleted.body).toMatchObject({ kind: 'ServiceAccount', metadata: { name, uid } });
      expect((await scope.api.get(scope.core('serviceaccounts', name))).status).toBe(404);
    });

    rule('refuses names of service accounts that are not DNS subdomains', async (scope) => {
      for (const name of ['Robot', 'a_b', '-a']) {
        const refused = await scope.api.post(scope.core('serviceaccounts'), serviceAccount(name));
        expectInvalid(refused, { 'metadata.name': 'FieldValueInvalid' });
      }
      const accepted = serviceAccount(`${scope.name('robot')}.example.dev`);
      expect((await scope.api.post(scope.core('serviceaccounts'), accepted)).status).toBe(201);
    });

    rule(
      'gives each namespace a service account default, again when it is deleted',
      async (scope) => {
        const path = `/api/v1/namespaces/${await scope.ownNamespace()}/serviceaccounts/default`;
        const found = await scope.eventually(path, ({ status }) => status === 200);
        expect((await scope.api.delete(path)).status).toBe(200);
        const again = await scope.eventually(
          path,
          ({ status, body }) => status === 200 && body.metadata.uid !== found.body.metadata.uid,
        );
        expect(again.body).toMatchObject({ kind: 'ServiceAccount', metadata: { name: 'default' } });
      },
      'controllers',
    );

    rule(
      'gives each namespace the certificates of the API server as the ConfigMap kube-root-ca.crt',
      async (scope) => {
        const path = `/api/v1/namespaces/${await scope.ownNamespace()}/configmaps/kube-root-ca.crt`;
        const found = await scope.eventually(path, ({ status }) => status === 200);
        const certificates = found.body.data?.['ca.crt'] ?? '';
        expect(certificates).toContain('-----BEGIN CERTIFICATE-----');
        expect((await scope.api.delete(path)).status).toBe(200);
        const again = await scope.eventually(
          path,
          ({ status, body }) => status === 200 && body.metadata.uid !== found.body.metadata.uid,
        );
        expect(again.body.data?.['ca.crt']).toBe(certificates);
      },
      'controllers',
    );

    rule(
      'puts changed certificates of kube-root-ca.crt right again',
      async (scope) => {
        const path = `/api/v1/namespaces/${await scope.ownNamespace()}/configmaps/kube-root-ca.crt`;
        const found = await scope.eventually(path, ({ status }) => status === 200);
        const changed = await scope.api.patch(path, 'merge', { data: { 'ca.crt': 'nonsense' } });
        expect(changed.status).toBe(200);
        const restored = await eventually(
          () => scope.api.get(path),
          ({ body }) => body.data?.['ca.crt'] !== 'nonsense',
        );
        expect(restored.body.data?.['ca.crt']).toBe(found.body.data?.['ca.crt']);
      },
      'controllers',
    );
  },
);
