import { describe, expect, it } from '@jest/globals';
import { annotations, Gate, typeMeta, type GateBinding } from '@interlock/api';
import { boundBy, type FluxObject, virtualBindingOf } from '@interlock/gating';
import { lockoutOf } from './lockout.js';
import { pendingOf } from './pending.js';
import { skewOf } from './skew.js';
import { binding, indexOfBindings, fluxObject, objectsOf, ours, relatedIn } from './testing/builders.js';

const git = (name: string, spec: object = {}, notes?: Record<string, string>) =>
  fluxObject({ name, spec, notes });
const applier = (name: string, source: string, dependsOn: object[] = []) =>
  fluxObject({
    kind: 'Kustomization',
    name,
    spec: { sourceRef: { kind: 'GitRepository', name: source }, dependsOn },
  });
const on = (name: string, gate: string, bindingName = name): GateBinding =>
  binding({ targets: [{ kind: 'GitRepository', name }], refs: [{ name: gate }] }, bindingName);

function noList(): never {
  throw new Error('not expected');
}

describe('GateSkew', () => {
  function skew(objects: FluxObject[], ...bindings: GateBinding[]): string | undefined {
    const [first] = bindings;
    if (first === undefined) throw new Error('no binding');
    const all = objectsOf(...objects);
    /* A list would read all objects of the cluster. */
    const { get } = all;
    const gated = { objects: { get, list: noList }, bindings: indexOfBindings(...bindings) };
    const related = relatedIn(...objects);
    const targets = boundBy(first, all, (source) => related.takersOf(source));
    return skewOf(targets, gated, related)?.message;
  }
  const [web, infra] = [applier('web', 'shop', [{ name: 'infra' }]), applier('infra', 'base')];
  const objects = [git('shop'), git('base'), web, infra];

  it('reports sources that are joined by dependsOn and wait for different gates', () => {
    expect(skew(objects, on('shop', 'freeze'), on('base', 'signoff'))).toContain(
      'Kustomization/apps/web depends on Kustomization/apps/infra, but Kustomization/apps/web waits for apps/freeze and Kustomization/apps/infra for apps/signoff',
    );
    expect(skew(objects, on('base', 'signoff'), on('shop', 'freeze'))).toContain('depends on');
    expect(skew(objects, on('shop', 'freeze'))).toContain('for no gate');
  });

  it('reports nothing if both sources wait for the same gates', () => {
    expect(skew(objects, on('shop', 'freeze'), on('base', 'freeze'))).toBeUndefined();
    const all = binding({ targets: [{ kind: 'GitRepository' }] });
    expect(skew(objects, all)).toBeUndefined();
    const annotated = [git('shop'), git('base', {}, { [annotations.gates]: 'freeze' }), web, infra];
    expect(skew(annotated, on('shop', 'freeze'))).toBeUndefined();
  });

  it('reports nothing about objects that the binding does not apply to', () => {
    expect(skew([...objects, git('other')], on('other', 'freeze'), on('shop', 'freeze'))).toBeUndefined();
  });

  it('names the pairs in the same order, whichever object has changed last', () => {
    const [more, most] = ['more', 'most'].map((name) => applier(name, 'shop', [{ name: 'infra' }]));
    const orders = [
      [web, more, most],
      [most, web, more],
      [more, most, web],
    ] as FluxObject[][];
    const messages = orders.map((some) =>
      skew([git('shop'), git('base'), infra, ...some], on('shop', 'freeze'), on('base', 'signoff')),
    );
    expect(new Set(messages).size).toBe(1);
    expect(messages[0]).toContain('Kustomization/apps/most depends on');
  });

  it('reports an included repository, and how many gates are required', () => {
    const including = git('shop', { include: [{ repository: { name: 'base' } }] });
    const two = [{ name: 'freeze' }, { name: 'signoff' }];
    const any = binding(
      { targets: [{ kind: 'GitRepository', name: 'base' }], refs: two, require: 'any' },
      'b',
    );
    const every = binding({ targets: [{ kind: 'GitRepository', name: 'shop' }], refs: two }, 'a');
    expect(skew([including, git('base')], every, any)).toContain('includes GitRepository/apps/base');
    const same = { ...any, spec: { ...any.spec, require: 'all' as const } };
    expect(skew([including, git('base')], every, same)).toBeUndefined();
  });
});

describe('SelfLockout', () => {
  const delivered = (by: string): Gate => ({
    ...typeMeta(Gate),
    metadata: {
      name: 'freeze',
      namespace: 'apps',
      labels: {
        'kustomize.toolkit.fluxcd.io/name': by,
        'kustomize.toolkit.fluxcd.io/namespace': 'apps',
      },
    },
    spec: { closed: true, maxOverride: '1h', failurePolicy: 'Closed' },
  });
  const objects = objectsOf(git('shop'), git('gates'), applier('web', 'shop'), applier('gates', 'gates'));

  it('reports a gate that comes from the source that is held', () => {
    expect(lockoutOf(on('shop', 'freeze'), [delivered('web')], objects)).toMatchObject({
      type: 'SelfLockout',
      message: expect.stringContaining(
        'Gate/apps/freeze is applied by Kustomization/apps/web from GitRepository/apps/shop',
      ),
    });
  });

  it.each([
    ['that comes from another source', delivered('gates')],
    ['whose Kustomization does not exist', delivered('gone')],
    [
      'that no Kustomization delivers',
      { ...delivered('web'), metadata: { name: 'freeze', namespace: 'apps' } },
    ],
  ])('reports nothing about a gate %s', (_case, gate) => {
    expect(lockoutOf(on('shop', 'freeze'), [gate], objects)).toBeUndefined();
  });
});

describe('pendingOf', () => {
  const [old, fresh] = [`main@sha1:${'a'.repeat(40)}`, `main@sha1:${'b'.repeat(40)}`];
  const source = fluxObject({ revision: fresh });
  const from = (revision: string) =>
    fluxObject({
      kind: 'Kustomization',
      name: 'web',
      spec: { sourceRef: { kind: 'GitRepository', name: 'shop' } },
      revision,
    });
  const chart = fluxObject({
    kind: 'HelmChart',
    name: 'apps-cache',
    spec: { sourceRef: { kind: 'HelmRepository', name: 'charts' } },
    revision: '2.0.0',
  });
  const release = fluxObject({
    kind: 'HelmRelease',
    name: 'cache',
    spec: { chart: { spec: { sourceRef: { kind: 'HelmRepository', name: 'charts' } } } },
    revision: '1.0.0',
  });
  const pinned = { ref: { branch: 'main', commit: 'b'.repeat(40) } };
  it.each<[string, FluxObject, string | undefined]>([
    ['the revision of the source of a Kustomization', from(old), fresh],
    ['nothing once that revision is applied', from(fresh), undefined],
    ['the version of the chart of a HelmRelease', release, '2.0.0'],
    ['the commit that the manifest requests', fluxObject({ spec: pinned, revision: old }), 'b'.repeat(40)],
    [
      'nothing if the pin belongs to this controller',
      fluxObject({
        spec: pinned,
        revision: old,
        managedFields: [ours({ 'f:ref': { 'f:commit': {} } })],
      }),
      undefined,
    ],
    [
      'the branch that the spec names instead of the one that was fetched',
      fluxObject({ spec: { ref: { branch: 'next' } }, revision: old }),
      'next',
    ],
    [
      'the tag that the spec names instead of the one that was fetched',
      fluxObject({ spec: { ref: { tag: 'v2' } }, revision: 'v1@sha1:1' }),
      'v2',
    ],
    [
      'nothing for a range of versions',
      fluxObject({ spec: { ref: { semver: '1.x' } }, revision: 'v1@sha1:1' }),
      undefined,
    ],
    ['nothing for a source that has the requested revision', fluxObject({ revision: old }), undefined],
  ])('returns %s', (_case, object, expected) => {
    expect(pendingOf(object, objectsOf(source, chart, release))).toBe(expected);
  });
});

describe('virtualBindingOf', () => {
  const virtual = (
    notes: Record<string, string>,
    kind: 'GitRepository' | 'Kustomization' = 'GitRepository',
  ) => virtualBindingOf(fluxObject({ kind, spec: {}, notes }));

  it('describes the gates of the example in the documentation', () => {
    const notes = {
      [annotations.gates]: 'change-freeze, bypass-signoff',
      [annotations.require]: 'oneOf',
    };
    expect(virtual(notes)).toMatchObject({
      binding: {
        metadata: { name: 'shop', namespace: 'apps' },
        spec: {
          require: 'oneOf',
          refs: [{ name: 'change-freeze' }, { name: 'bypass-signoff' }],
          mode: 'Suspend',
          scope: 'Updates',
        },
      },
    });
    expect(virtual(notes)?.problem).toBeUndefined();
  });

  it('requires all gates by default, and accepts gates of other namespaces', () => {
    expect(virtual({ [annotations.gates]: 'platform/freeze' })?.binding.spec).toMatchObject({
      require: 'all',
      refs: [{ namespace: 'platform', name: 'freeze' }],
    });
  });

  it.each([
    [{ [annotations.gates]: ' , ' }, 'does not name a gate'],
    [{ [annotations.gates]: 'Freeze!' }, '"Freeze!" is not the name of a Gate'],
    [{ [annotations.gates]: Array.from({ length: 17 }, (_, n) => `g${n}`).join(',') }, 'at most 16'],
    [{ [annotations.gates]: 'g,'.repeat(100_000) }, 'has more than 8192 characters; name at most 16 gates'],
    [{ [annotations.gates]: 'freeze', [annotations.require]: 'some' }, 'write one of all, any, oneOf'],
  ])('describes the problem with %j', (notes, message) => {
    expect(virtual(notes)?.problem).toContain(message);
  });

  it('accepts as many gates as a binding, with names of the maximum length', () => {
    const gates = Array.from({ length: 16 }, () => `${'n'.repeat(63)}/${'g'.repeat(253)}`).join(', ');
    const { problem, binding: of } = virtual({ [annotations.gates]: gates }) ?? {};
    expect(problem).toBeUndefined();
    expect(of?.spec.refs).toHaveLength(16);
  });

  it('returns undefined unless the object is a source whose annotations name gates', () => {
    expect(virtual({ [annotations.gates]: 'freeze' }, 'Kustomization')).toBeUndefined();
    expect(virtual({ [annotations.require]: 'any' })).toBeUndefined();
  });
});
