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

/** Returns a store with a number of pods on the node `a`, and the addresses that follow it. */
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
  it('gives every pod of a node an address of its own, however many there are', () => {
    const { given } = withPods(600);
    expect(new Set(given).size).toBe(600);
    expect([given[0], given.at(-1)]).toEqual(['10.100.0.2', '10.100.2.89']);
  });

  it('gives the address of a pod that is gone to another one', () => {
    const { store, addresses, given } = withPods(3);
    store.delete('pods', 'default/p1', store.get('pods', 'default/p1')?.revision ?? 0);
    expect(addresses.free('a', 0)).toBe(given[1]);
  });

  it('knows the addresses of the pods that are stored already', () => {
    const { store } = withPods(2);
    expect(new PodAddresses(store).free('a', 0)).toBe('10.100.0.4');
  });

  it('gives the pods of another node addresses of another range', () => {
    expect(withPods(1).addresses.free('b', 1)).toBe('10.101.0.2');
  });
});
