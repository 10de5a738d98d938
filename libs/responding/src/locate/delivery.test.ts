import { describe, expect, it } from '@jest/globals';
import { locateDelivery, type DeliveryObject, type Subject } from './delivery.js';
import { isRepository } from './url.js';

const object = (
  apiVersion: string,
  kind: string,
  key: string,
  spec: unknown,
  labels?: Record<string, string>,
): DeliveryObject => {
  const [namespace = '', name = ''] = key.split('/');
  return { apiVersion, kind, metadata: { namespace, name, ...(labels && { labels }) }, spec };
};
const ks = (key: string, group = 'kustomize') => {
  const [namespace = '', name = ''] = key.split('/');
  return { [`${group}.toolkit.fluxcd.io/name`]: name, [`${group}.toolkit.fluxcd.io/namespace`]: namespace };
};
const application = (key: string, spec: unknown) => object('argoproj.io/v1alpha1', 'Application', key, spec);
const git = { repoURL: 'https://git.example/org/apps', path: './apps/x', targetRevision: 'main' };

const objects: DeliveryObject[] = [
  object('source.toolkit.fluxcd.io/v1', 'GitRepository', 'flux-system/fleet', {
    url: 'ssh://git@github.com/org/fleet.git',
    ref: { branch: 'main' },
  }),
  object('kustomize.toolkit.fluxcd.io/v1', 'Kustomization', 'flux-system/rbac', {
    path: './clusters/prod/rbac',
    sourceRef: { kind: 'GitRepository', name: 'fleet' },
    targetNamespace: 'team',
    namePrefix: 'p-',
  }),
  object('kustomize.toolkit.fluxcd.io/v1', 'Kustomization', 'apps/oci', {
    path: '.',
    sourceRef: { kind: 'OCIRepository', name: 'x' },
  }),
  object('kustomize.toolkit.fluxcd.io/v1', 'Kustomization', 'apps/lost', {
    sourceRef: { kind: 'GitRepository', name: 'none' },
  }),
  object('helm.toolkit.fluxcd.io/v2', 'HelmRelease', 'apps/podinfo', {}, ks('flux-system/rbac')),
  object('helm.toolkit.fluxcd.io/v2', 'HelmRelease', 'apps/loop', {}, ks('apps/loop', 'helm')),
  application('argocd/one', { source: git, destination: { namespace: 'x' } }),
  application('argocd/two', { sources: [git, { repoURL: 'https://c.example', chart: 'c' }] }),
  application('argocd/many', { sources: [git, git] }),
  application('argocd/chart', { source: { repoURL: 'https://c.example', chart: 'c' } }),
  application('argocd/helm', { source: { ...git, helm: { valueFiles: [] } } }),
  application('argocd/twin', { source: git }),
  application('team/twin', { source: git }),
];
const subject: Subject = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  name: 'b',
  namespace: 'n',
};
const tracked = (id: string): Subject => ({
  ...subject,
  annotations: { 'argocd.argoproj.io/tracking-id': id },
});
const own = 'rbac.authorization.k8s.io/RoleBinding:n/b';

describe('locateDelivery', () => {
  it.each<[string, Subject, object]>([
    [
      'a Kustomization',
      { ...subject, labels: ks('flux-system/rbac') },
      {
        type: 'found',
        url: 'ssh://git@github.com/org/fleet.git',
        revision: 'main',
        folder: 'clusters/prod/rbac',
        by: 'Kustomization flux-system/rbac',
        object: subject,
        isHelm: false,
        recurse: true,
        transform: { prefix: 'p-', suffix: '', namespace: 'team' },
      },
    ],
    [
      'a HelmRelease',
      { ...subject, labels: ks('apps/podinfo', 'helm') },
      {
        type: 'found',
        folder: 'clusters/prod/rbac',
        isHelm: true,
        object: { kind: 'HelmRelease', name: 'podinfo', namespace: 'apps' },
      },
    ],
    [
      'a tracking id',
      tracked(`one:${own}`),
      {
        type: 'found',
        url: git.repoURL,
        folder: 'apps/x',
        revision: 'main',
        recurse: false,
        transform: { defaultNamespace: 'x' },
      },
    ],
    [
      'an instance label',
      { ...subject, labels: { 'app.kubernetes.io/instance': 'two' } },
      { type: 'found', by: 'Application argocd/two' },
    ],
    [
      'an Application in another namespace',
      tracked(`team_twin:${own}`),
      { type: 'found', by: 'Application team/twin' },
    ],
    [
      'no labels or annotations',
      subject,
      { type: 'notFound', reason: expect.stringContaining('neither Flux nor Argo CD') },
    ],
    [
      'a missing Kustomization',
      { ...subject, labels: ks('x/y') },
      { type: 'notFound', reason: 'Kustomization x/y does not exist' },
    ],
    [
      'a source that is an artifact',
      { ...subject, labels: ks('apps/oci') },
      { type: 'notFound', reason: expect.stringContaining('OCIRepository') },
    ],
    [
      'a missing source',
      { ...subject, labels: ks('apps/lost') },
      { type: 'notFound', reason: 'GitRepository apps/none does not exist' },
    ],
    [
      'a HelmRelease that delivers itself',
      { ...subject, labels: ks('apps/loop', 'helm') },
      { type: 'notFound', reason: expect.stringContaining('one another') },
    ],
    [
      'a tracking id of another object',
      tracked('one:/Secret:n/b'),
      { type: 'notFound', reason: expect.stringContaining('belongs to another object') },
    ],
    ['no Application', tracked(`none:${own}`), { type: 'notFound' }],
    ['two Applications', tracked(`twin:${own}`), { type: 'ambiguous' }],
    ['several sources', tracked(`many:${own}`), { type: 'ambiguous' }],
    ['a chart', tracked(`chart:${own}`), { type: 'notFound' }],
    [
      'a chart in Git',
      tracked(`helm:${own}`),
      { type: 'notFound', reason: expect.stringContaining('renders a chart') },
    ],
  ])('returns where an object is delivered from, or why this is not known: %s', (_, given, expected) => {
    expect(locateDelivery(given, objects)).toMatchObject(expected);
  });
});

describe('isRepository', () => {
  it('reads a long run of slashes in one pass', () => {
    expect(isRepository(`git@host:a${'/'.repeat(500_000)}b`, 'host', 'a/b')).toBe(false);
  });

  it.each([
    ['https://github.com/Org/Repo.git', 'github.com', 'org/repo'],
    ['git@github.com:org/repo', 'github.com', 'org/repo'],
    ['ssh://git@git.example:2222/a/b/c.git', 'https://git.example:8443', 'a/b/c'],
    ['https://user:x@github.com/org/repo/', 'github.com', 'org/repo'],
  ])('recognizes %s as the repository of %s at %s', (url, host, repository) => {
    expect(isRepository(url, host, repository)).toBe(true);
  });

  it.each([
    'https://github.com/org/other',
    'https://evil.example/github.com/org/repo',
    'file:///org/repo',
    '',
  ])('does not recognize %j as the repository org/repo at github.com', (url) => {
    expect(isRepository(url, 'github.com', 'org/repo')).toBe(false);
  });
});
