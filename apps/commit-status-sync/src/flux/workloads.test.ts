import { describe, expect, it } from '@jest/globals';
import { MemoryCache } from '@interlock/kube/testing';
import { flux } from '../sources/testing/builders.js';
import { countReads } from '../sources/testing/count-reads.js';
import { HelmRelease, Kustomization, type FluxWorkload } from './objects.js';
import { gitRepository, helmRelease, kustomization } from './testing/workloads.js';
import { FluxWorkloads } from './workloads.js';

const others = 100;
const namespace = 'flux-system';

const elsewhere = (workload: FluxWorkload, index: number): FluxWorkload => ({
  ...workload,
  metadata: { ...workload.metadata, name: `other-${index}`, namespace: `tenant-${index}` },
});

/** Returns the workloads of a cluster in which other tenants have many. */
function clusterOf(...own: FluxWorkload[]) {
  const kustomizations = new MemoryCache(Kustomization);
  const helmReleases = new MemoryCache(HelmRelease);
  for (let index = 0; index < others; index++) {
    kustomizations.set(elsewhere(kustomization('k', 'other', {}), index));
    helmReleases.set(elsewhere(helmRelease('h', {}, { appliedBy: 'other' }), index));
  }
  for (const one of own) (one.kind === Kustomization.kind ? kustomizations : helmReleases).set(one);
  const counted = [countReads(kustomizations), countReads(helmReleases)] as const;
  return { workloads: new FluxWorkloads(...counted), reads: () => counted[0].reads + counted[1].reads };
}

const names = (found: readonly FluxWorkload[]) => found.map(({ metadata }) => metadata.name);

describe('FluxWorkloads', () => {
  const apps = kustomization('apps', 'dev', {}, { app: 'shop' });
  const applied = helmRelease('applied', {}, { appliedBy: 'apps' });
  const charted = helmRelease('charted', {}, { source: 'dev' });

  it('finds what a change of a Kustomization concerns without a read of other releases', () => {
    const { workloads, reads } = clusterOf(apps, applied, charted);
    expect(names(workloads.judgedBy(apps))).toEqual(['apps', 'applied']);
    expect(reads()).toBe(1);
  });

  it('finds what a change of a GitRepository concerns without a read of other workloads', () => {
    const { workloads, reads } = clusterOf(apps, applied, charted);
    expect(names(workloads.comingFrom(gitRepository('dev')))).toEqual(['apps', 'applied', 'charted']);
    expect(reads()).toBe(3);
  });

  it('selects without a read of the workloads of other namespaces', () => {
    const { workloads, reads } = clusterOf(apps, applied);
    const selector = { matchLabels: { app: 'shop' } };
    expect(names(workloads.selectedBy(flux({ selector, namespaces: [namespace, namespace] })))).toEqual([
      'apps',
    ]);
    expect(reads()).toBe(2);
  });

  it('selects in all namespaces with *', () => {
    const { workloads } = clusterOf(apps, applied);
    expect(workloads.selectedBy(flux({ selector: {}, namespaces: ['*'] }))).toHaveLength(2 * others + 2);
  });
});
