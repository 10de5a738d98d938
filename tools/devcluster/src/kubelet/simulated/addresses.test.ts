import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '../../object.js';
import { Store } from '../../store/store.js';
import { PodAddresses } from './addresses.js';

const pod = (name: string, podIP: string, nodeName = 'a'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { nodeName },
  status: { podIP },
});

/** Returns a store with a number of pods on the node `a`, and the addresses, which its events update. */
function withPods(count: number): { store: Store; addresses: PodAddresses; given: string[] } {
  const store = new Store();
  const addresses = new PodAddresses(store);
  store.subscribe((event) => addresses.take(event));
  const given = Array.from({ length: count }, (_, index) => {
    const address = addresses.free('a', 0);
    store.put('pods', `default/p${index}`, pod(`p${index}`, address), 0);
    return address;
  });
  return { store, addresses, given };
}

describe('PodAddresses', () => {
  it('assigns a unique address to every pod of a node', () => {
    const { given } = withPods(600);
    expect(new Set(given).size).toBe(600);
    expect([given[0], given.at(-1)]).toEqual(['10.100.0.2', '10.100.2.89']);
  });

  it('reuses the address of a deleted pod', () => {
    const { store, addresses, given } = withPods(3);
    store.delete('pods', 'default/p1', store.get('pods', 'default/p1')?.revision ?? 0);
    expect(addresses.free('a', 0)).toBe(given[1]);
  });

  it('contains the addresses of stored pods', () => {
    const { store } = withPods(2);
    expect(new PodAddresses(store).free('a', 0)).toBe('10.100.0.4');
  });

  it('uses a separate range for each node', () => {
    expect(withPods(1).addresses.free('b', 1)).toBe('10.101.0.2');
  });
});
