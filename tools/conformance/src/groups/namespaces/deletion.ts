import { expect } from 'expect';
import type { Answer } from '../../suite/api.js';
import type { Rule } from '../../suite/case.js';
import { expectTerminating, finalize, namespacePath } from '../../suite/namespaces.js';
import { configMap, secret } from '../../suite/objects.js';
import { bindingsPath, enforce, policyRule } from '../../suite/policies.js';
import type { Scope } from '../../suite/scope.js';
import { create, expectInvalid, releaseAfterwards, repeat } from '../../suite/write.js';

const hold = 'example.com/hold';
const gone = ({ status }: Answer): boolean => status === 404;

/** Creates a namespace with a ConfigMap whose finalizer holds its deletion. @returns both paths. */
async function heldNamespace(scope: Scope): Promise<{ name: string; path: string; content: string }> {
  const name = await scope.ownNamespace();
  const content = `${namespacePath(name)}/configmaps/held`;
  const object = configMap('held', { a: '1' }, { finalizers: [hold] });
  await create(scope, `${namespacePath(name)}/configmaps`, object);
  releaseAfterwards(scope, content);
  return { name, path: namespacePath(name), content };
}

function conditionsOf({ body }: Answer): { type: string; status: string; message: string }[] {
  const { conditions = [] } = (body.status ?? {}) as {
    conditions?: { type: string; status: string; message: string }[];
  };
  return conditions;
}

/** Declares the rules about the deletion of a namespace and its content. */
export function deletionRules(rule: Rule): void {
  rule('answers the delete of a namespace with the namespace, which is terminating', async (scope) => {
    const { name, path } = await heldNamespace(scope);
    const answer = await scope.api.delete(path);
    expect(answer).toMatchObject({
      status: 200,
      body: {
        kind: 'Namespace',
        metadata: { name, deletionTimestamp: expect.any(String) },
        spec: { finalizers: ['kubernetes'] },
        status: { phase: 'Terminating' },
      },
    });
    expect(await scope.api.get(path)).toMatchObject({
      status: 200,
      body: { status: { phase: 'Terminating' } },
    });
  });

  rule('refuses to create objects in a namespace that is terminating', async (scope) => {
    const { name, path } = await heldNamespace(scope);
    await scope.api.delete(path);
    const collection = `${path}/configmaps`;
    const query = { dryRun: 'All' };
    const refused = await repeat(
      () => scope.api.post(collection, configMap('late'), { query }),
      ({ status }) => status !== 201,
    );
    expectTerminating(refused, name);
    expectTerminating(await scope.api.post(collection, configMap('late')), name);
    const applied = await scope.api.apply(`${collection}/late`, 'one', configMap('late', { k: 'v' }));
    expectTerminating(applied, name);
  });

  rule('lets objects in a namespace that is terminating change', async (scope) => {
    const { path, content } = await heldNamespace(scope);
    await scope.api.delete(path);
    const answer = await scope.api.patch(content, 'merge', { data: { a: '2' } });
    expect(answer).toMatchObject({ status: 200, body: { data: { a: '2' } } });
  });

  rule('refuses to set a terminating namespace active', async (scope) => {
    const { path } = await heldNamespace(scope);
    await scope.api.delete(path);
    const active = { status: { phase: 'Active' } };
    const answer = await scope.api.patch(`${path}/status`, 'merge', active);
    expectInvalid(answer);
    expect((await scope.api.get(path)).body.status).toMatchObject({ phase: 'Terminating' });
  });

  rule('removes a terminating namespace with its last finalizer', async (scope) => {
    const name = await scope.ownNamespace();
    const path = namespacePath(name);
    scope.cleanup((api) => finalize(api, name, () => []));
    await finalize(scope.api, name, (present) => [...present, hold]);
    expect((await scope.api.delete(path)).status).toBe(200);
    if (scope.has('controllers')) {
      const emptied = await scope.eventually(
        path,
        ({ body }) => !(body.spec?.['finalizers'] as string[] | undefined)?.includes('kubernetes'),
      );
      expect(emptied.body.spec).toEqual({ finalizers: [hold] });
    } else {
      const left = await finalize(scope.api, name, (present) =>
        present.filter((one) => one !== 'kubernetes'),
      );
      expect(left).toMatchObject({ status: 200, body: { spec: { finalizers: [hold] } } });
      expect((await scope.api.get(path)).status).toBe(200);
    }
    expect((await finalize(scope.api, name, () => [])).status).toBe(200);
    await scope.eventually(path, gone);
  });

  rule(
    'deletes what is in a namespace that is deleted, then the namespace',
    async (scope) => {
      const name = await scope.ownNamespace();
      const path = namespacePath(name);
      const roles = `/apis/rbac.authorization.k8s.io/v1/namespaces/${name}/roles`;
      await create(scope, `${path}/configmaps`, configMap('a'));
      await create(scope, `${path}/secrets`, secret('b'));
      await create(scope, roles, {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'Role',
        metadata: { name: 'c' },
        rules: [],
      });
      await scope.api.delete(path);
      await scope.eventually(path, gone);
      for (const object of [`${path}/configmaps/a`, `${path}/secrets/b`, `${roles}/c`]) {
        expect((await scope.api.get(object)).status).toBe(404);
      }
    },
    'controllers',
  );

  rule(
    'reports in conditions what the deletion of a namespace waits for',
    async (scope) => {
      const { path } = await heldNamespace(scope);
      await scope.api.delete(path);
      const waiting = await scope.eventually(path, (answer) => conditionsOf(answer).length > 0);
      const statuses = conditionsOf(waiting).map(({ type, status }) => [type, status]);
      expect(statuses).toEqual([
        ['NamespaceDeletionDiscoveryFailure', 'False'],
        ['NamespaceDeletionGroupVersionParsingFailure', 'False'],
        ['NamespaceDeletionContentFailure', 'False'],
        ['NamespaceContentRemaining', 'True'],
        ['NamespaceFinalizersRemaining', 'True'],
      ]);
    },
    'controllers',
  );

  rule(
    'reports what in a terminating namespace cannot be deleted, and deletes it when nothing forbids it',
    async (scope) => {
      const name = await scope.ownNamespace();
      const path = namespacePath(name);
      const policy = await enforce(scope, {
        match: { resourceRules: [policyRule({ operations: ['CREATE', 'DELETE'] })] },
        validations: [{ expression: "request.operation != 'DELETE'", message: 'must stay' }],
      });
      const object = policy.object('kept');
      expect((await scope.api.post(`${path}/configmaps`, object)).status).toBe(201);
      await scope.api.delete(path);
      const failing = await scope.eventually(path, (answer) =>
        conditionsOf(answer).some(
          ({ type, status }) => type === 'NamespaceDeletionContentFailure' && status === 'True',
        ),
      );
      const failure = conditionsOf(failing).find(({ type }) => type === 'NamespaceDeletionContentFailure');
      expect(failure?.message).toContain('must stay');
      expect((await scope.api.get(`${path}/configmaps/kept`)).status).toBe(200);
      await scope.api.delete(bindingsPath(policy.bindingName));
      await scope.eventually(path, gone);
    },
    'controllers',
  );

  rule(
    'reports what holds a terminating namespace, and removes it when that is gone',
    async (scope) => {
      const { path, content } = await heldNamespace(scope);
      const plain = `${path}/configmaps/plain`;
      await create(scope, `${path}/configmaps`, configMap('plain'));
      await scope.api.delete(path);
      await scope.eventually(plain, gone);
      const waiting = await scope.eventually(path, (answer) =>
        conditionsOf(answer).some(
          ({ type, status }) => type === 'NamespaceFinalizersRemaining' && status === 'True',
        ),
      );
      const conditions = conditionsOf(waiting);
      const message = (type: string) => conditions.find((one) => one.type === type)?.message;
      expect(message('NamespaceFinalizersRemaining')).toContain(hold);
      expect(message('NamespaceContentRemaining')).toContain('configmaps.');
      expect((await scope.api.get(content)).body.metadata.deletionTimestamp).toBeDefined();
      await scope.api.patch(content, 'merge', { metadata: { finalizers: null } });
      await scope.eventually(path, gone);
    },
    'controllers',
  );
}
