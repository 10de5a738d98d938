import { expect } from 'expect';
import type { Rule } from '../suite/case.js';
import { accepted, create, createSet, namesOf } from '../suite/reading.js';
import type { Scope } from '../suite/scope.js';
import { fieldSelectors } from './lists-fields.js';

/** Declares the cases about label and field selectors of lists. */
export function selectors(rule: Rule): void {
  labelOperators(rule);
  labelSelectors(rule);
  fieldSelectors(rule);
}

const labels = [
  { tier: 'front', weight: '5', 'conformance.example/zone': 'a' },
  { tier: 'back', weight: '10', beta: '' },
  { tier: 'store', weight: 'heavy' },
  {},
];

/** Asserts which of the objects each selector selects. */
async function expectSelected(scope: Scope, expected: Readonly<Record<string, number[]>>): Promise<void> {
  const { labelSelector, names } = await createSet(scope, labels);
  for (const [selector, indexes] of Object.entries(expected)) {
    const query = { labelSelector: `${labelSelector},${selector}` };
    const found = namesOf(accepted(await scope.api.get(scope.core('configmaps'), { query })));
    expect([selector, found.map((name) => names.indexOf(name)).sort()]).toEqual([selector, indexes]);
  }
}

function labelOperators(rule: Rule): void {
  rule('selects by the equality of labels; a missing label differs from every value', (scope) =>
    expectSelected(scope, {
      'tier=front': [0],
      'tier==front': [0],
      'tier!=front': [1, 2, 3],
      'tier=unknown': [],
      'beta=': [1],
      'beta!=': [0, 2, 3],
      'conformance.example/zone=a': [0],
    }),
  );

  rule('selects by sets of label values; a missing label is in none', (scope) =>
    expectSelected(scope, {
      'tier in (front, back)': [0, 1],
      'tier in (front)': [0],
      'tier notin (front, back)': [2, 3],
      'beta in (,x)': [1],
      'conformance.example/zone in (a,b)': [0],
    }),
  );

  rule('selects by the existence of labels', (scope) =>
    expectSelected(scope, {
      tier: [0, 1, 2],
      '!tier': [3],
      beta: [1],
      '!beta': [0, 2, 3],
      'conformance.example/zone': [0],
    }),
  );

  rule('selects by whole numbers in labels; other values are neither greater nor less', (scope) =>
    expectSelected(scope, {
      'weight>5': [1],
      'weight > 4': [0, 1],
      'weight<10': [0],
      'weight<11': [0, 1],
      'weight>4,weight<6': [0],
    }),
  );

  rule('selects what meets all requirements of a label selector', (scope) =>
    expectSelected(scope, {
      'tier,weight': [0, 1, 2],
      'tier, weight notin (heavy), !beta': [0],
      'tier in (front,back),weight=10': [1],
      'tier=front,tier=back': [],
    }),
  );
}

function labelSelectors(rule: Rule): void {
  const malformed = ['a===b', 'a in b', 'a in (b', 'a,,b', '=b', 'a b'];
  const invalid = ['-a=b', 'a=-b', 'a/b/c=d', `${'a'.repeat(64)}=b`, 'a in (b,_)', 'a>b'];

  rule('refuses label selectors that it cannot parse', async (scope) => {
    const path = scope.core('configmaps');
    for (const labelSelector of malformed) {
      const { status, body } = await scope.api.get(path, { query: { labelSelector } });
      expect([labelSelector, status]).toEqual([labelSelector, 400]);
      expect(body).toMatchObject({ kind: 'Status', reason: 'BadRequest', code: 400 });
    }
    expect((await scope.api.get(path, { query: { labelSelector: 'a==b' } })).status).toBe(200);
  });

  rule('refuses label selectors with keys or values that labels cannot have', async (scope) => {
    const path = scope.core('configmaps');
    for (const labelSelector of invalid) {
      const { status, body } = await scope.api.get(path, { query: { labelSelector } });
      expect([labelSelector, status]).toEqual([labelSelector, 400]);
      expect(body).toMatchObject({ kind: 'Status', reason: 'BadRequest', code: 400 });
    }
    expect((await scope.api.get(path, { query: { labelSelector: 'a/b=c.d_e' } })).status).toBe(200);
  });

  rule('selects over all namespaces', async (scope) => {
    const other = await scope.ownNamespace();
    const { labelSelector, names } = await createSet(scope, [{}]);
    const [, set = ''] = labelSelector.split('=');
    await create(scope, `/api/v1/namespaces/${other}/configmaps`, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: names[0], labels: { set } },
    });
    const query = { labelSelector };
    const all = accepted(await scope.api.get('/api/v1/configmaps', { query }));
    expect(all.items.map(({ metadata }) => metadata.namespace).sort()).toEqual(
      [scope.namespace, other].sort(),
    );
    const one = accepted(await scope.api.get(`/api/v1/namespaces/${other}/configmaps`, { query }));
    expect(one.items.map(({ metadata }) => metadata.namespace)).toEqual([other]);
    const fields = { labelSelector, fieldSelector: `metadata.namespace=${other}` };
    const selected = accepted(await scope.api.get('/api/v1/configmaps', { query: fields }));
    expect(selected.items.map(({ metadata }) => metadata.namespace)).toEqual([other]);
  });
}
