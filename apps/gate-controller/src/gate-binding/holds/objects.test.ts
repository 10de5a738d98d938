import { describe, expect, it } from '@jest/globals';
import { annotations } from '@interlock/api';
import { holdAnnotations, holdOf } from './hold.js';
import { isOurs, others, ownersOf, sourceOf, trimFluxObject } from '@interlock/gating';
import { commonPin, pinOf, revisionAt } from './revisions.js';
import { fluxObject, held, managed, ours, since } from './testing/builders.js';

const sha = 'a'.repeat(40);
const sha256 = 'd'.repeat(64);

describe('ownersOf', () => {
  const fields = [
    ours({ 'f:suspend': {} }),
    managed('flux', 'Update', { 'f:suspend': {}, 'f:ref': { '.': {}, 'f:branch': {} } }),
    managed('gate-controller', 'Update', { 'f:ref': { 'f:branch': {} } }),
    {
      manager: 'source-controller',
      operation: 'Update',
      subresource: 'status',
      fieldsV1: { 'f:status': {} },
    },
    'nonsense',
    {},
  ];
  it('returns the managers that set a field, and distinguishes this controller from others', () => {
    const suspend = ownersOf(fields, ['f:spec', 'f:suspend']);
    expect(suspend).toEqual([
      { manager: 'gate-controller', applies: true },
      { manager: 'flux', applies: false },
    ]);
    expect(isOurs(suspend)).toBe(true);
    expect(others(suspend)).toEqual([{ manager: 'flux', applies: false }]);
    expect(isOurs(ownersOf(fields, ['f:spec', 'f:ref', 'f:branch']))).toBe(false);
    expect(ownersOf(fields, ['f:spec', 'f:ref', 'f:commit'])).toEqual([]);
    expect(ownersOf(undefined, ['f:spec'])).toEqual([]);
  });
});

describe('trimFluxObject', () => {
  it('accepts objects with unexpected field types', () => {
    const odd = trimFluxObject({
      apiVersion: 'source.toolkit.fluxcd.io/v1',
      kind: 'GitRepository',
      metadata: { name: 'odd' },
      spec: { suspend: 'yes', ref: { commit: 7, branch: 'main' }, dependsOn: 'x' },
      status: 'no',
    });
    expect(odd.spec).toMatchObject({ ref: { branch: 'main' } });
    expect(odd.spec.suspend).toBeUndefined();
    expect(odd.status).toEqual({});
  });

  it('keeps a limited number of dependencies, because a user can list one object thousands of times', () => {
    const many = Array.from({ length: 1_000 }, () => ({ name: 'shop' }));
    const include = many.map((repository) => ({ repository }));
    expect(fluxObject({ kind: 'Kustomization', spec: { dependsOn: many } }).spec.dependsOn).toHaveLength(100);
    expect(fluxObject({ spec: { include } }).spec.include).toHaveLength(100);
  });

  it('keeps only the annotations that gating uses', () => {
    const notes = { [annotations.gates]: 'freeze', 'kubectl.kubernetes.io/last-applied-configuration': '{}' };
    expect(fluxObject({ notes }).metadata.annotations).toEqual({ [annotations.gates]: 'freeze' });
  });

  /* helm.toolkit.fluxcd.io/v2: the releases, the newest first. */
  it('returns the chart version that a HelmRelease has deployed', () => {
    const history = [
      { version: 3, status: 'failed', chartVersion: '1.3.0' },
      { version: 2, status: 'deployed', chartVersion: '1.2.0' },
      { version: 1, status: 'superseded', chartVersion: '1.1.0' },
    ];
    const release = trimFluxObject({
      apiVersion: 'helm.toolkit.fluxcd.io/v2',
      kind: 'HelmRelease',
      metadata: { name: 'shop' },
      spec: {},
      status: { history, lastAttemptedRevision: '1.3.0' },
    });
    expect(release.status.revision).toBe('1.2.0');
  });

  it('returns the revision that an applier applied', () => {
    expect(fluxObject({ kind: 'Kustomization', spec: {}, revision: 'main@sha1:x' }).status.revision).toBe(
      'main@sha1:x',
    );
  });
});

describe('the revision of an object', () => {
  const ref = { ref: { branch: 'main' } };

  it('has at most the length that the statuses of gates may have, and still identifies the commit', () => {
    const { revision } = fluxObject({ spec: ref, revision: `${'b/'.repeat(600)}x@sha1:${sha}` }).status;
    expect(revision).toHaveLength(512);
    expect(pinOf('GitRepository', revision)).toBe(sha);
  });

  it('is cut between two characters', () => {
    const { revision = '' } = fluxObject({
      spec: ref,
      revision: `${'\u{1F600}'.repeat(600)}@sha1:${sha}x`,
    }).status;
    expect(Buffer.from(revision).toString()).toBe(revision);
  });
});

describe('sourceOf', () => {
  const name = 'shop';
  it.each([
    ['Kustomization', { sourceRef: { kind: 'Bucket', name } }, { kind: 'Bucket', namespace: 'apps', name }],
    [
      'HelmRelease',
      { chart: { spec: { sourceRef: { kind: 'HelmRepository', name, namespace: 'charts' } } } },
      { kind: 'HelmRepository', namespace: 'charts', name },
    ],
    [
      'HelmRelease',
      { chartRef: { kind: 'OCIRepository', name } },
      { kind: 'OCIRepository', namespace: 'apps', name },
    ],
    [
      'HelmChart',
      { chart: 'podinfo', sourceRef: { kind: 'HelmRepository', name } },
      { kind: 'HelmRepository', namespace: 'apps', name },
    ],
    ['GitRepository', { url: 'x' }, undefined],
  ] as const)('finds the source of a %s', (kind, spec, expected) => {
    expect(sourceOf(fluxObject({ kind, spec }))).toEqual(expected);
  });
});

describe('holdOf', () => {
  it('parses the annotations that it writes', () => {
    const hold = { by: ['a', 'other/b'], since, reason: 'a: closed, until later', revision: 'main@sha1:1' };
    const against = { manager: 'kustomize-controller', at: since };
    for (const one of [hold, { ...hold, against }]) {
      expect(holdOf(fluxObject({ notes: holdAnnotations(one) }))).toEqual(one);
    }
  });
  it('returns undefined without annotations or fields', () => {
    expect(holdOf(fluxObject())).toBeUndefined();
    expect(holdOf(fluxObject({ notes: held() }))).toMatchObject({ by: ['freeze'] });
  });
});

describe('the functions for revisions', () => {
  it.each([
    ['GitRepository', `main@sha1:${sha}`, sha],
    ['GitRepository', `sha1:${sha}`, sha],
    ['GitRepository', `refs/heads/main@sha1:${sha}`, sha],
    ['GitRepository', `main/${sha}`, sha],
    ['GitRepository', sha, sha],
    ['GitRepository', `main@sha256:${sha256}`, sha256],
    ['GitRepository', 'aaaa', undefined],
    ['GitRepository', undefined, undefined],
    ['OCIRepository', `v1@sha256:${sha256}`, `sha256:${sha256}`],
    ['OCIRepository', `sha256:${sha256}`, `sha256:${sha256}`],
    ['OCIRepository', sha256, `sha256:${sha256}`],
    ['OCIRepository', `v1@sha256:${sha}`, undefined],
    ['Bucket', `sha256:${sha256}`, undefined],
  ])('return the pin of a %s with the revision %s: %s', (kind, revision, expected) => {
    expect(pinOf(kind, revision)).toBe(expected);
  });

  it.each([
    [{ spec: { ref: { branch: 'main' } } }, `main@sha1:${sha}`],
    [{ spec: {}, revision: 'master@sha1:1' }, `master@sha1:${sha}`],
    [{ spec: { ref: { name: 'refs/heads/main' } } }, `refs/heads/main@sha1:${sha}`],
    [{ spec: { ref: { tag: 'v1' } }, revision: 'v1@sha1:1' }, `sha1:${sha}`],
    [{ spec: { ref: { semver: '1.x' } }, revision: 'v1@sha1:1' }, `sha1:${sha}`],
    [{ spec: {} }, `sha1:${sha}`],
  ])('format the revision of a pinned source like Flux: %j', (parts, expected) => {
    expect(revisionAt(fluxObject(parts), sha)).toBe(expected);
  });

  it('return the last revision that all lists approve', () => {
    const [b, c] = ['b'.repeat(40), 'c'.repeat(40)];
    expect(commonPin('GitRepository', [[sha, b, c]])).toBe(c);
    expect(
      commonPin('GitRepository', [
        [sha, b],
        [`main@sha1:${sha}`, c],
      ]),
    ).toBe(sha);
    expect(commonPin('GitRepository', [[sha], []])).toBeUndefined();
    expect(commonPin('GitRepository', [])).toBeUndefined();
  });
});
