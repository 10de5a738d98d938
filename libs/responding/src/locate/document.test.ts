import { describe, expect, it } from '@jest/globals';
import type { Operation } from '../change/operation.js';
import { needsLocation, withLocation } from './apply.js';
import type { Delivery } from './delivery.js';
import { locateDocument } from './document.js';

const manifest = (kind: string, name: string, namespace?: string, apiVersion = 'v1') =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata:\n  name: ${name}\n${namespace === undefined ? '' : `  namespace: ${namespace}\n`}`;
const delivery = (object: Delivery['object'], more: Partial<Delivery> = {}): Delivery => ({
  type: 'found',
  url: 'https://x/y',
  folder: 'apps',
  by: 'Kustomization a/b',
  object,
  isHelm: false,
  transform: { prefix: '', suffix: '', ...more.transform },
  recurse: true,
  ...more,
});
const locate = (files: Record<string, string>, given: Delivery) =>
  locateDocument(given, new Map(Object.entries(files)));
const config = { kind: 'ConfigMap', name: 'c', namespace: 'n' };

describe('locateDocument', () => {
  it('finds one of several documents in a folder without a kustomization', () => {
    const files = {
      'apps/a.yaml': manifest('ConfigMap', 'other', 'n'),
      'apps/deep/b.yml': `${manifest('Secret', 'c', 'n')}---\n${manifest('ConfigMap', 'c', 'n')}---\n${manifest('ConfigMap', 'c', 'm')}`,
      'apps/template.yaml': '{{ if .x }}\na: [',
      'other/c.yaml': manifest('ConfigMap', 'c', 'n'),
    };
    expect(locate(files, delivery(config))).toEqual({
      type: 'found',
      path: 'apps/deep/b.yml',
      select: { apiVersion: 'v1', ...config },
    });
    expect(locate(files, delivery(config, { recurse: false }))).toMatchObject({ type: 'notFound' });
  });

  it('finds an item of a List', () => {
    const items = ['other', 'c'].map(
      (name) => `- {apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}}`,
    );
    const files = { 'apps/a.yaml': `kind: ConfigMapList\nitems:\n${items.join('\n')}\n` };
    expect(locate(files, delivery(config))).toMatchObject({ path: 'apps/a.yaml', select: { name: 'c' } });
    const twice = { 'apps/a.yaml': `${files['apps/a.yaml']}${items[1] ?? ''}\n` };
    expect(locate(twice, delivery(config))).toMatchObject({ type: 'ambiguous' });
  });

  it('follows kustomizations, with their prefixes, suffixes and namespaces', () => {
    const files = {
      'apps/kustomization.yaml': 'namePrefix: a-\nnamespace: n\nresources: [base, ./x.yaml]\n',
      'apps/x.yaml': manifest('ConfigMap', 'x', 'ignored'),
      'apps/unlisted.yaml': manifest('ConfigMap', 'a-b-c-s', 'n'),
      'apps/base/kustomization.yml': 'namePrefix: b-\nnameSuffix: -s\nnamespace: m\nresources: [c.yaml]\n',
      'apps/base/c.yaml': `${manifest('ConfigMap', 'c')}---\n${manifest('Namespace', 'n')}`,
    };
    const found = (name: string, kind = 'ConfigMap') =>
      locate(files, delivery({ kind, name, namespace: 'n' }));
    expect(found('a-b-c-s')).toEqual({
      type: 'found',
      path: 'apps/base/c.yaml',
      select: { apiVersion: 'v1', kind: 'ConfigMap', name: 'c' },
    });
    expect(found('a-x')).toMatchObject({ path: 'apps/x.yaml', select: { name: 'x', namespace: 'ignored' } });
    expect(found('c')).toMatchObject({ type: 'notFound' });
    expect(locate(files, delivery({ kind: 'Namespace', name: 'n' }))).toMatchObject({
      path: 'apps/base/c.yaml',
    });
  });

  it('reports the missing files of a kustomization', () => {
    const files = { 'apps/kustomization.yaml': 'resources: [../base, https://x/y, z.yaml]\n' };
    expect(locate(files, delivery(config))).toMatchObject({
      type: 'notFound',
      missing: ['apps/z.yaml', 'base'],
    });
    const more = {
      ...files,
      'base/kustomization.yaml': 'resources: [c.yaml]\n',
      'base/c.yaml': manifest('ConfigMap', 'c'),
    };
    expect(locate(more, delivery(config))).toMatchObject({ type: 'found', path: 'base/c.yaml' });
  });

  it('compares groups and namespaces if they are known', () => {
    const files = { 'apps/a.yaml': manifest('Role', 'r', undefined, 'rbac.authorization.k8s.io/v1beta1') };
    const role = { kind: 'Role', name: 'r', namespace: 'n', apiVersion: 'rbac.authorization.k8s.io/v1' };
    expect(locate(files, delivery(role))).toMatchObject({ type: 'found' });
    expect(locate(files, delivery({ ...role, apiVersion: 'other/v1' }))).toMatchObject({ type: 'notFound' });
    const transform = { prefix: '', suffix: '', defaultNamespace: 'm' };
    expect(locate(files, delivery(role, { transform }))).toMatchObject({ type: 'notFound' });
    const cluster = { 'apps/a.yaml': manifest('ClusterRole', 'r') };
    const namespaced = { prefix: '', suffix: '', namespace: 'm' };
    expect(
      locate(cluster, delivery({ kind: 'ClusterRole', name: 'r', namespace: '' }, { transform: namespaced })),
    ).toMatchObject({ type: 'found' });
  });

  it('does not choose between several documents', () => {
    const files = {
      'apps/a.yaml': manifest('ConfigMap', 'c'),
      'apps/b.yaml': manifest('ConfigMap', 'c', 'n'),
    };
    expect(locate(files, delivery(config))).toEqual({
      type: 'ambiguous',
      reason: 'ConfigMap c in namespace n is in 2 documents: "apps/a.yaml", "apps/b.yaml"; name the path',
    });
    expect(locate(files, delivery({}))).toMatchObject({ type: 'notFound' });
  });

  it('ends when kustomizations name one another', () => {
    const files = {
      'apps/kustomization.yaml': 'resources: [a, a, a]\n',
      'apps/a/kustomization.yaml': 'resources: [.., .., ..]\n',
    };
    expect(locate(files, delivery(config))).toMatchObject({ type: 'notFound' });
  });
});

describe('locateDocument of a hostile repository', () => {
  const data = `data:\n${Array.from({ length: 30_000 }, (_, index) => `  k${index}: v\n`).join('')}`;

  it('reads a file once that a kustomization names many times', () => {
    const files = {
      'apps/kustomization.yaml': `resources:\n${'- c.yaml\n'.repeat(4000)}`,
      'apps/c.yaml': `${manifest('ConfigMap', 'c')}${data}`,
    };
    expect(locate(files, delivery(config))).toMatchObject({ type: 'found', path: 'apps/c.yaml' });
  });

  it('reads a kustomization once that others name many times', () => {
    const files = {
      'apps/kustomization.yaml': `resources:\n${'- base\n'.repeat(900)}`,
      'apps/base/kustomization.yaml': `resources: [c.yaml]\n${data}`,
      'apps/base/c.yaml': manifest('ConfigMap', 'c'),
    };
    expect(locate(files, delivery(config))).toMatchObject({ type: 'found', path: 'apps/base/c.yaml' });
  });
});

describe('withLocation', () => {
  const located = { type: 'found' as const, path: 'a.yaml', select: { kind: 'ConfigMap', name: 'c' } };
  const remove: Operation = { op: 'yaml.deleteDocument' };
  const image: Operation = { op: 'image.set', image: 'x', newTag: 'v', select: { kind: 'Pod' } };
  const write: Operation = { op: 'file.write', path: 'b', contents: '' };

  it('fills in missing paths', () => {
    expect(needsLocation([write])).toBe(false);
    expect(needsLocation([write, remove])).toBe(true);
    expect(withLocation([write, remove, image], located, false)).toEqual([
      write,
      { ...remove, path: 'a.yaml', select: located.select },
      { ...image, path: 'a.yaml' },
    ]);
  });

  it('does not edit a HelmRelease instead of an object that its chart renders', () => {
    expect(withLocation([image], located, true)).toEqual([{ ...image, path: 'a.yaml' }]);
    expect(() => withLocation([remove], located, true)).toThrow(
      expect.objectContaining({ reason: 'SubjectFromChart' }),
    );
  });
});
