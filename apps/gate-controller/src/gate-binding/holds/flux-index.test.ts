import { describe, expect, it } from '@jest/globals';
import { annotations, type FluxKind } from '@interlock/api';
import { flux, type FluxObject } from '@interlock/gating';
import { MemoryCache } from '@interlock/kube/testing';
import { FluxIndex } from './flux-index.js';
import { label } from './graph.js';
import { binding, fluxObject } from './testing/builders.js';

const others = 100;
const kinds: readonly FluxKind[] = ['GitRepository', 'HelmChart', 'Kustomization', 'HelmRelease'];
const sourceRef = { kind: 'GitRepository', name: 'shop' };

/** Returns the index of a cluster in which other tenants have many objects, and the number of objects that it reads. */
function indexOf(...own: readonly FluxObject[]) {
  let reads = 0;
  const caches = kinds.map((kind) => {
    const foreign = Array.from({ length: others }, (_, index) =>
      fluxObject({ kind, namespace: `tenant-${index}`, spec: kind === 'GitRepository' ? {} : { sourceRef } }),
    );
    const cache = new MemoryCache(flux[kind], ...foreign, ...own.filter((object) => object.kind === kind));
    return {
      addIndex: cache.addIndex.bind(cache),
      byIndex(index: string, value: string) {
        const found = cache.byIndex(index, value);
        reads += found.length;
        return found;
      },
    };
  });
  const index = new FluxIndex(caches);
  const labels = (found: readonly FluxObject[]) => ({ found: found.map(label), reads });
  return { index, labels };
}

describe('FluxIndex', () => {
  const shop = fluxObject({ notes: { [annotations.gates]: 'freeze, team/release' } });
  const web = fluxObject({ kind: 'Kustomization', name: 'web', spec: { sourceRef } });
  const abroad = fluxObject({
    kind: 'Kustomization',
    name: 'abroad',
    namespace: 'tenant-1',
    spec: { sourceRef: { ...sourceRef, namespace: 'apps' } },
  });
  const api = fluxObject({ kind: 'HelmRelease', name: 'api', spec: { chart: { spec: { sourceRef } } } });

  it('finds the objects in all namespaces that apply from a source, and reads no others', () => {
    const { index, labels } = indexOf(shop, web, abroad, api);
    expect(labels(index.takersOf(shop))).toEqual({ found: [web, abroad, api].map(label), reads: 3 });
    expect(index.takersOf(web)).toEqual([]);
  });

  it('finds the objects in all namespaces that depend on an object or include it, and reads no others', () => {
    const needing = fluxObject({
      kind: 'Kustomization',
      name: 'needing',
      namespace: 'tenant-1',
      spec: { sourceRef, dependsOn: [{ name: 'web', namespace: 'apps' }, { name: 'other' }] },
    });
    const other = fluxObject({ kind: 'HelmRelease', name: 'other', spec: { dependsOn: [{ name: 'web' }] } });
    const whole = fluxObject({ name: 'whole', spec: { include: [{ repository: { name: 'shop' } }] } });
    const { index, labels } = indexOf(shop, web, needing, other, whole);
    const found = [...index.dependentsOf(web), ...index.dependentsOf(shop)];
    expect(labels(found)).toEqual({ found: [needing, whole].map(label), reads: 2 });
  });

  it('finds the sources that request a gate by its name or by its namespace and name, and reads no others', () => {
    const { index, labels } = indexOf(shop, web);
    const own = index.requesting({ namespace: 'apps', name: 'freeze' });
    const foreign = index.requesting({ namespace: 'team', name: 'release' });
    expect(labels([...own, ...foreign])).toEqual({ found: [label(shop), label(shop)], reads: 2 });
    expect(index.requesting({ namespace: 'other', name: 'freeze' })).toEqual([]);
  });

  it('finds the objects that are held for a binding, and reads none that others hold', () => {
    const byOthers = Array.from({ length: others }, (_, index) => heldBy(`by-${index}`, 'team/freeze,other'));
    const held = heldBy('held', 'freeze');
    const abroad = fluxObject({
      kind: 'Kustomization',
      namespace: 'tenant-1',
      notes: { [annotations.heldBy]: 'other,apps/freeze' },
    });
    const { index, labels } = indexOf(shop, held, abroad, ...byOthers);
    expect(labels(index.heldBy(binding()))).toEqual({ found: [held, abroad].map(label), reads: 2 });
  });

  it('finds a held object although users wrote many names into its annotation', () => {
    const held = heldBy('held', `${'x,'.repeat(1_000)}freeze`);
    const { index, labels } = indexOf(held, heldBy('free', 'x,'.repeat(1_000)));
    expect(labels(index.heldBy(binding()))).toEqual({ found: [label(held)], reads: 2 });
  });
});

function heldBy(name: string, by: string): FluxObject {
  return fluxObject({ name, notes: { [annotations.heldBy]: by } });
}
