import { describe, expect, it } from '@jest/globals';
import type { GateBinding } from '@interlock/api';
import { bindsObject, boundBy, type FluxObject } from '@interlock/gating';
import { label } from './graph.js';
import { binding, fluxObject, objectsOf } from './testing/builders.js';

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

function bound(spec: Partial<GateBinding['spec']>): string[] {
  return boundBy(binding(spec), objects).map(label);
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
    for (const scope of ['Updates', 'All'] as const) {
      const of = binding({ scope, targets: [{ kind: 'GitRepository', name: 'shop' }] });
      const fromObjects = all.filter((object) => bindsObject(of, object, objects)).map(label);
      expect(fromObjects.sort()).toEqual(boundBy(of, objects).map(label).sort());
    }
  });
});
