import { expect } from 'expect';
import type { Rule } from '../suite/case.js';
import { accepted, create, createSet, namesOf } from '../suite/reading.js';
import type { Scope } from '../suite/scope.js';

/** Declares the cases about field selectors of lists. */
export function fieldSelectors(rule: Rule): void {
  common(rule);
  ofKinds(rule);
  refusals(rule);
}

function common(rule: Rule): void {
  rule('selects by metadata.name', async (scope) => {
    const { labelSelector, names } = await createSet(scope, [{}, {}, {}]);
    const found = async (fieldSelector: string): Promise<string[]> => {
      const query = { labelSelector, fieldSelector };
      return namesOf(accepted(await scope.api.get(scope.core('configmaps'), { query }))).sort();
    };
    expect(await found(`metadata.name=${names[1]}`)).toEqual([names[1]]);
    expect(await found(`metadata.name==${names[2]}`)).toEqual([names[2]]);
    expect(await found(`metadata.name!=${names[1]}`)).toEqual([names[0], names[2]]);
    expect(await found(`metadata.name!=${names[0]},metadata.name!=${names[2]}`)).toEqual([names[1]]);
    expect(await found(`metadata.name=${names[0]}-none`)).toEqual([]);
  });

  rule('applies a label selector to the object that metadata.name selects', async (scope) => {
    const { names } = await createSet(scope, [{ part: 'a' }]);
    const path = scope.core('configmaps');
    const fieldSelector = `metadata.name=${names[0]}`;
    const matching = accepted(
      await scope.api.get(path, { query: { fieldSelector, labelSelector: 'part=a' } }),
    );
    expect(namesOf(matching)).toEqual(names);
    const other = accepted(await scope.api.get(path, { query: { fieldSelector, labelSelector: 'part=b' } }));
    expect(other.items).toEqual([]);
  });
}

function ofKinds(rule: Rule): void {
  rule('selects secrets by type', async (scope) => {
    const set = scope.name('secrets');
    for (const [suffix, type] of [
      ['opaque', undefined],
      ['own', 'conformance.example/token'],
    ]) {
      const metadata = { name: `${set}-${suffix}`, labels: { set } };
      await create(scope, scope.core('secrets'), { apiVersion: 'v1', kind: 'Secret', metadata, type });
    }
    const labelSelector = `set=${set}`;
    for (const [fieldSelector, suffix] of [
      ['type=Opaque', 'opaque'],
      ['type!=Opaque', 'own'],
      ['type=conformance.example/token', 'own'],
    ]) {
      const query = { labelSelector, fieldSelector };
      const body = accepted(await scope.api.get(scope.core('secrets'), { query }));
      expect(namesOf(body)).toEqual([`${set}-${suffix}`]);
    }
  });

  rule('selects namespaces by phase', async (scope) => {
    const name = await scope.ownNamespace();
    for (const [phase, expected] of [
      ['Active', [name]],
      ['Terminating', []],
    ]) {
      const query = { fieldSelector: `metadata.name=${name},status.phase=${phase}` };
      const body = accepted(await scope.api.get('/api/v1/namespaces', { query }));
      expect(namesOf(body)).toEqual(expected);
    }
  });

  rule('selects pods by fields of spec and status', async (scope) => {
    const name = await createPod(scope);
    const found = async (terms: string): Promise<string[]> => {
      const query = { fieldSelector: `metadata.name=${name},${terms}` };
      return namesOf(accepted(await scope.api.get(scope.core('pods'), { query })));
    };
    expect(await found('status.phase=Pending')).toEqual([name]);
    expect(await found('status.phase!=Pending')).toEqual([]);
    expect(await found('spec.restartPolicy=Never,spec.schedulerName=conformance.example')).toEqual([name]);
    expect(await found('spec.restartPolicy=Always')).toEqual([]);
    expect(await found(`spec.serviceAccountName=${name},spec.nodeName=`)).toEqual([name]);
    expect(await found('spec.nodeName!=')).toEqual([]);
  });
}

function refusals(rule: Rule): void {
  rule('refuses field selectors for fields that a kind does not offer', async (scope) => {
    for (const [path, fieldSelector] of [
      [scope.core('configmaps'), 'data.key=value'],
      [scope.core('configmaps'), 'metadata.uid=1'],
      [scope.core('secrets'), 'data.key=value'],
      [scope.core('pods'), 'spec.priority=1'],
      ['/api/v1/namespaces', 'metadata.namespace=default'],
      ['/apis/apps/v1/deployments', 'spec.replicas=1'],
    ] as const) {
      const { status, body } = await scope.api.get(path, { query: { fieldSelector } });
      expect([fieldSelector, status]).toEqual([fieldSelector, 400]);
      expect(body).toMatchObject({ kind: 'Status', reason: 'BadRequest', code: 400 });
      const [field = ''] = fieldSelector.split('=');
      expect(body.message).toContain(field);
    }
    const query = { fieldSelector: 'metadata.name=none' };
    expect((await scope.api.get('/apis/apps/v1/deployments', { query })).status).toBe(200);
  });

  rule('refuses field selectors that it cannot parse', async (scope) => {
    for (const fieldSelector of [
      'metadata.name',
      'metadata.name=a=b',
      'metadata.name=a\\b',
      'metadata.name=a\\',
    ]) {
      const { status, body } = await scope.api.get(scope.core('configmaps'), { query: { fieldSelector } });
      expect([fieldSelector, status]).toEqual([fieldSelector, 400]);
      expect(body).toMatchObject({ kind: 'Status', reason: 'BadRequest', code: 400 });
    }
    const query = { fieldSelector: 'metadata.name=a\\=b\\,c\\\\d' };
    expect(accepted(await scope.api.get(scope.core('configmaps'), { query })).items).toEqual([]);
  });
}

/** Creates a pod that no scheduler assigns, with a service account of the same name. */
async function createPod(scope: Scope): Promise<string> {
  const name = scope.name('pod');
  await create(scope, scope.core('serviceaccounts'), {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name },
  });
  scope.deleteAfterwards(scope.core('pods', name));
  await create(scope, scope.core('pods'), {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: {
      schedulerName: 'conformance.example',
      serviceAccountName: name,
      restartPolicy: 'Never',
      containers: [{ name: 'main', image: 'registry.example/none:1' }],
    },
  });
  return name;
}
