import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { kubernetesTypeKey } from '@interlock/api';
import { describe, expect, it } from '@jest/globals';
import type { StructuralSchema } from '../structural.js';
import { withKubernetesTypes } from './embed.js';
import { atomicMaps, listKeys, quantities, setLists } from './facts.js';
import { modelFields } from './models.js';
import { kubernetesSchema } from './schema.js';

const template = kubernetesSchema('PodTemplateSpec');

function at(schema: StructuralSchema, ...path: string[]): StructuralSchema {
  return path.reduce((node, key) => {
    const next = key === '[]' ? node['items'] : (node['properties'] as StructuralSchema)[key];
    return next as StructuralSchema;
  }, schema);
}

describe('the schema of a PodTemplateSpec', () => {
  it.each<[string[], StructuralSchema]>([
    [['spec', 'hostNetwork'], { type: 'boolean' }],
    [['spec', 'activeDeadlineSeconds'], { type: 'integer', format: 'int64' }],
    [['spec', 'containers', '[]', 'ports', '[]', 'protocol'], { type: 'string', default: 'TCP' }],
    [
      ['spec', 'containers', '[]', 'args'],
      {
        type: 'array',
        items: { type: 'string' },
        'x-kubernetes-list-type': 'atomic',
      },
    ],
    [
      ['spec', 'containers', '[]', 'livenessProbe', 'httpGet', 'port'],
      { 'x-kubernetes-int-or-string': true },
    ],
  ])('has the field %j', (path, schema) => {
    expect(at(template, ...path)).toEqual(schema);
  });

  it('keeps the keys of lists and the required fields of Kubernetes', () => {
    expect(at(template, 'spec')).toMatchObject({ required: ['containers'] });
    expect(at(template, 'spec', 'containers', '[]', 'ports')).toMatchObject({
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['containerPort', 'protocol'],
      items: { required: ['containerPort'] },
    });
  });

  it('has defaults only for keys of lists', () => {
    const defaults = JSON.stringify(template).match(/"default":"[^"]*"/g) ?? [];
    expect(new Set(defaults)).toEqual(new Set(['"default":"TCP"', '"default":""']));
  });

  it('treats the fields that the Kubernetes types call quantities as quantities', () => {
    const types = createRequire(import.meta.url).resolve('kubernetes-types/core/v1.d.ts');
    const named = new Set<string>();
    let [model, field] = ['', ''];
    for (const line of readFileSync(types, 'utf8').split('\n')) {
      model = /^export interface (\w+)/.exec(line)?.[1] ?? model;
      field = /^ {4}(\w+)\??:/.exec(line)?.[1] ?? field;
      if (line.endsWith(': Quantity;')) named.add(`V1${model}.${field}`);
    }
    expect([...quantities].filter((name) => !named.has(name))).toEqual([]);
    const models = new Set([...quantities].map((name) => name.split('.')[0]));
    const others = [...named].filter((name) => models.has(name.split('.')[0]));
    expect(others.filter((name) => !quantities.has(name))).toEqual([]);
  });

  it.each([...Object.keys(listKeys), ...setLists, ...quantities, ...atomicMaps])(
    'uses the existing type and field %s',
    (path) => {
      const [model = '', field] = path.split('.');
      const names = modelFields(model).map(({ name }) => name);
      expect(names).toEqual(field === undefined ? expect.anything() : expect.arrayContaining([field]));
    },
  );
});

describe('withKubernetesTypes', () => {
  const embedding = (properties: object): StructuralSchema => ({
    type: 'object',
    properties: {
      t: { type: 'object', description: 'd', properties, [kubernetesTypeKey]: 'PodTemplateSpec' },
    },
  });

  it('adds the requirements of a kind to the fields of the type', () => {
    const containers = { type: 'array', maxItems: 3, items: { type: 'object' } };
    const spec = { type: 'object', properties: { containers }, required: [] };
    const schema = withKubernetesTypes(embedding({ spec }));
    expect(at(schema, 't')).toMatchObject({ description: 'd' });
    expect(at(schema, 't')).not.toHaveProperty(kubernetesTypeKey);
    expect(at(schema, 't', 'spec', 'containers')).toEqual({
      ...at(template, 'spec', 'containers'),
      maxItems: 3,
    });
    expect(at(schema, 't', 'spec')).toMatchObject({ required: ['containers'] });
  });

  it('refuses a field that the type does not have', () => {
    expect(() => withKubernetesTypes(embedding({ specs: { type: 'object' } }))).toThrow(
      'the Kubernetes type has no field specs',
    );
  });
});
