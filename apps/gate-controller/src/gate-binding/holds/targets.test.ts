import { describe, expect, it } from '@jest/globals';
import type { GateBinding } from '@interlock/api';
import { bindsObject, boundBy, type FluxObject } from '@interlock/gating';
import { label } from './graph.js';
import { binding, fluxObject, objectsOf, relatedIn } from './testing/builders.js';

const shop = fluxObject({ labels: { tier: 'web' } });
const blog = fluxObject({ name: 'blog' });
const foreign = fluxObject({ name: 'shop', namespace: 'other', labels: { tier: 'web' } });
const sourceRef = { kind: 'GitRepository', name: 'shop' };
const kustomization = fluxObject({ kind: 'Kustomization', name: 'web', spec: { sourceRef } });
const abroad = fluxObject({
  kind: 'Kustomization',
  name: 'tenant',
  namespace: 'tenants',
  spec: { sourceRef: { ...sourceRef, namespace: 'apps' } },
});
const chartFromGit = fluxObject({
  kind: 'HelmRelease',
  name: 'api',
  spec: { chart: { spec: { chart: 'api', sourceRef } } },
});
const charts = fluxObject({ kind: 'HelmRepository', name: 'charts', spec: { type: 'oci' } });
const index = fluxObject({ kind: 'HelmRepository', name: 'index', spec: {} });
const chart = (name: string, of: string) =>
  fluxObject({ kind: 'HelmChart', name, spec: { sourceRef: { kind: 'HelmRepository', name: of } } });
const [ociChart, indexChart] = [chart('apps-cache', 'charts'), chart('apps-queue', 'index')];
const chartRef = { kind: 'HelmChart', name: 'apps-queue' };
const queue = fluxObject({ kind: 'HelmRelease', name: 'queue', spec: { chartRef } });
const all = [
  shop,
  blog,
  foreign,
  kustomization,
  abroad,
  chartFromGit,
  charts,
  index,
  ociChart,
  indexChart,
  queue,
];
const objects = objectsOf(...all);
const related = relatedIn(...all);
const boundTo = (of: GateBinding) => boundBy(of, objects, (source) => related.takersOf(source));

function bound(spec: Partial<GateBinding['spec']>): string[] {
  return boundTo(binding(spec)).map(label);
}

describe('the targets of a binding', () => {
  it.each<[string, Partial<GateBinding['spec']>, FluxObject[]]>([
    ['all objects of a kind in its namespace', { targets: [{ kind: 'GitRepository' }] }, [blog, shop]],
    ['an object by its name', { targets: [{ kind: 'GitRepository', name: 'shop' }] }, [shop]],
    [
      'objects by their labels',
      { targets: [{ kind: 'GitRepository', selector: { matchLabels: { tier: 'web' } } }] },
      [shop],
    ],
    ['nothing if no object has the name', { targets: [{ kind: 'GitRepository', name: 'gone' }] }, []],
    [
      'an object that is named twice, only once',
      { targets: [{ kind: 'GitRepository', name: 'shop' }, { kind: 'GitRepository' }] },
      [blog, shop],
    ],
    [
      'objects in any namespace that apply from a source, with scope All',
      { targets: [{ kind: 'GitRepository', name: 'shop' }], scope: 'All' },
      [shop, kustomization, abroad, chartFromGit],
    ],
    ['no charts of a repository index', { targets: [{ kind: 'HelmRepository', name: 'index' }] }, [index]],
    [
      'the charts of an OCI repository, which is not fetched itself',
      { targets: [{ kind: 'HelmRepository', name: 'charts' }] },
      [charts, ociChart],
    ],
    [
      'what applies a chart of a repository, with scope All',
      { targets: [{ kind: 'HelmRepository', name: 'index' }], scope: 'All' },
      [index, queue],
    ],
  ])('include %s', (_case, spec, expected) => {
    expect(bound(spec)).toEqual(expected.map(label));
  });

  it('are the same when they are determined from the object', () => {
    const kinds = [...new Set(all.map(({ kind }) => kind))];
    for (const [scope, kind] of kinds.flatMap((one) => [['Updates', one] as const, ['All', one] as const])) {
      const of = binding({ scope, targets: [{ kind }] });
      const fromObjects = all.filter((object) => bindsObject(of, object, objects)).map(label);
      expect(fromObjects.sort()).toEqual(boundTo(of).map(label).sort());
    }
  });

  it.each<[string, GateBinding['spec']['targets'], string[]]>([
    [
      'names alone',
      [
        { kind: 'GitRepository', name: 'shop' },
        { kind: 'GitRepository', name: 'shop' },
        { kind: 'HelmRepository', name: 'gone' },
      ],
      [],
    ],
    [
      'a name and a selector',
      [
        { kind: 'HelmChart', name: 'x' },
        { kind: 'HelmChart', selector: {} },
      ],
      ['HelmChart'],
    ],
    [
      'names of one kind of two',
      [{ kind: 'GitRepository', name: 'shop' }, { kind: 'HelmChart' }],
      ['HelmChart'],
    ],
  ])('are found without a list of the kinds that only names refer to, by %s', (_case, targets, kinds) => {
    const listed: string[] = [];
    const watched = {
      ...objects,
      list(...[kind, namespace]: Parameters<typeof objects.list>) {
        listed.push(kind);
        return objects.list(kind, namespace);
      },
    };
    const of = binding({ targets });
    const found = boundBy(of, watched, (source) => related.takersOf(source));
    expect(listed).toEqual(kinds);
    expect(new Set(found)).toEqual(new Set(all.filter((object) => bindsObject(of, object, objects))));
    expect(new Set(found).size).toBe(found.length);
  });

  it.each(['Updates', 'All'] as const)(
    'are found without a list of other namespaces, with scope %s',
    (scope) => {
      const listed = new Set<string | undefined>();
      const watched = {
        ...objects,
        list(...[kind, namespace]: Parameters<typeof objects.list>) {
          listed.add(namespace);
          return objects.list(kind, namespace);
        },
      };
      const targets = [{ kind: 'GitRepository' as const }, { kind: 'HelmRepository' as const }];
      boundBy(binding({ scope, targets }), watched, (source) => related.takersOf(source));
      expect(listed).toEqual(new Set(['apps']));
    },
  );

  it('are found without reading objects that lack the labels of a selector', () => {
    const team = (name: string, of: string) => fluxObject({ name, labels: { team: of, tier: 'web' } });
    const many = Array.from({ length: 100 }, (_, index) => team(`x-${index}`, `team-${index % 10}`));
    const known = objectsOf(...many);
    let reads = 0;
    const watched = {
      ...known,
      list(...of: Parameters<typeof known.list>) {
        const found = known.list(...of);
        reads += found.length;
        return found;
      },
    };
    const selectors = [{ matchLabels: { team: 'team-3' } }, { matchLabels: { tier: 'web', team: 'team-5' } }];
    const targets = selectors.map((selector) => ({ kind: 'GitRepository' as const, selector }));
    expect(boundBy(binding({ targets }), watched, () => [])).toHaveLength(20);
    expect(reads).toBe(20);
  });
});
