import { describe, expect, it } from '@jest/globals';
import { RunnerGroup, type Kind, type KubeObject } from '@interlock/api';
import { Deployment, ServiceAccount } from '@interlock/kube';
import { ownedOptions } from './caches.js';
import { groupOf } from './testing/builders.js';

const owner = { apiVersion: 'v1', kind: 'ActionsGateway', name: 'gateway', uid: '1' };
const labels = { 'actions-gateway.github.com/gateway': 'gateway' };
const metadata = {
  ...{ name: 'gateway-linux', namespace: 'team-a', uid: '2', resourceVersion: '3', generation: 4, labels },
  ownerReferences: [{ ...owner, controller: true }],
  finalizers: ['actions-gateway.github.com/agentpool-cleanup', 'example.com/stay'],
};
const filler = 'f'.repeat(200_000);

/** Returns what the cache of a kind keeps of an object. */
function kept(kind: Kind, content: object): object {
  const object = structuredClone({ apiVersion: 'v1', kind: kind.kind, metadata, ...content }) as KubeObject;
  return ownedOptions(kind).transform?.(object) ?? object;
}

describe('the cache of the gmc', () => {
  it('keeps neither the spec nor the annotations of a RunnerGroup', () => {
    const status = { activeSessions: 1 };
    const spec = groupOf({ workerImage: filler });
    const large = { spec, status, metadata: { ...metadata, annotations: { filler } } };
    const group = kept(RunnerGroup, large);
    expect(group).toEqual({ apiVersion: 'v1', kind: 'RunnerGroup', metadata, status });
  });

  it('keeps an object that the gmc applies, and only the metadata of others with its label', () => {
    const spec = { filler };
    const name = 'actions-gateway-proxy';
    expect(kept(Deployment, { spec, metadata: { ...metadata, name } })).toHaveProperty('spec', spec);
    expect(kept(Deployment, { spec })).toEqual({ apiVersion: 'v1', kind: 'Deployment', metadata });
  });

  it.each([RunnerGroup, ServiceAccount])(
    'keeps only what it evaluates of the long metadata of a $kind',
    (kind) => {
      const long = {
        labels: { ...labels, [filler]: '' },
        ownerReferences: [...metadata.ownerReferences, { ...owner, name: filler }],
        finalizers: [...metadata.finalizers, filler],
      };
      const object = kept(kind, { metadata: { ...metadata, ...long } });
      const [finalizer] = metadata.finalizers;
      expect(object).toMatchObject({ metadata: { ...metadata, finalizers: [finalizer] } });
      expect(JSON.stringify(object).length).toBeLessThan(1_000);
    },
  );
});
