import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { KubeObject } from '../object.js';
import { Store } from '../store/store.js';
import { SchedulerCache } from './cache.js';
import { node, pod } from './testing/objects.js';

interface Step {
  what: 'pod' | 'node';
  name: string;
  isGone: boolean;
  nodeName: string;
  phase: string;
  nominatedNodeName: string;
}

const step: fc.Arbitrary<Step> = fc.record({
  what: fc.constantFrom('pod', 'node'),
  name: fc.constantFrom('a', 'b', 'c'),
  isGone: fc.boolean(),
  nodeName: fc.constantFrom('', 'a', 'b'),
  phase: fc.constantFrom('Pending', 'Running', 'Failed'),
  nominatedNodeName: fc.constantFrom('', 'a'),
});

function write(store: Store, { what, name, isGone, nodeName, phase, nominatedNodeName }: Step): void {
  const object: KubeObject =
    what === 'node'
      ? node(name, { allocatable: { cpu: String(1 + store.revision) } })
      : pod(name, { requests: { cpu: '1' }, status: { phase, nominatedNodeName }, nodeName });
  const [collection, key] = what === 'node' ? ['nodes', name] : ['pods', `default/${name}`];
  const present = store.get(collection, key);
  if (!isGone) store.put(collection, key, object, present?.revision ?? 0);
  else if (present !== undefined) store.delete(collection, key, present.revision);
}

/** Returns the content of a cache: its snapshot without the function, and the waiting pods. */
function contentOf(cache: SchedulerCache): object {
  const { nodes, nominated, budgets } = cache.snapshot();
  const byName = (infos: readonly { uid: string }[]) => [...infos].sort((a, b) => (a.uid < b.uid ? -1 : 1));
  return { nodes, budgets, nominated: byName(nominated), waiting: byName(cache.waiting()) };
}

describe('SchedulerCache', () => {
  it('equals, after every change, a new cache that is read from the store', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const store = new Store();
        const cache = new SchedulerCache(store);
        store.subscribe((event) => cache.take(event));
        for (const one of steps) {
          write(store, one);
          expect(contentOf(cache)).toEqual(contentOf(new SchedulerCache(store)));
        }
      }),
    );
  });

  it('recomputes a node only when the node or one of its pods changes', () => {
    const store = new Store();
    const cache = new SchedulerCache(store);
    store.subscribe((event) => cache.take(event));
    store.put('nodes', 'a', node('a'), 0);
    store.put('nodes', 'b', node('b'), 0);
    const before = cache.snapshot().nodes;
    store.put('pods', 'default/p', pod('p', { nodeName: 'b' }), 0);
    const after = cache.snapshot().nodes;
    expect(after[0]).toBe(before[0]);
    expect(after[1]?.pods.map(({ uid }) => uid)).toEqual(['uid-p']);
  });
});
