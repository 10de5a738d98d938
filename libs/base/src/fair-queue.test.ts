import { expect, it } from '@jest/globals';
import { FairQueue } from './fair-queue.js';

function queueOf(...items: [owner: string, item: string][]): FairQueue<string> {
  const queue = new FairQueue<string>();
  for (const [owner, item] of items) queue.add(owner, item);
  return queue;
}

it('takes the items of an owner in the order of arrival, and serves the owners in turn', () => {
  const queue = queueOf(['a', 'a1'], ['a', 'a2'], ['a', 'a3'], ['b', 'b1'], ['c', 'c1']);
  const taken: string[] = [];
  for (let next = queue.take(); next !== undefined; next = queue.take()) taken.push(next.item);
  expect(taken).toEqual(['a1', 'b1', 'c1', 'a2', 'a3']);
  expect(queue.hasOwner(() => true)).toBe(false);
});

it('skips an owner without room, which keeps its turn', () => {
  const queue = queueOf(['a', 'a1'], ['b', 'b1']);
  expect(queue.take((owner) => owner !== 'a')).toEqual({ owner: 'b', item: 'b1' });
  expect(queue.take(() => false)).toBeUndefined();
  expect(queue.take()).toEqual({ owner: 'a', item: 'a1' });
});

it('drops an item that is removed, and all items when it is cleared', () => {
  const queue = queueOf(['a', 'a1'], ['a', 'a2'], ['b', 'b1']);
  queue.remove('a', 'a1');
  queue.remove('c', 'c1');
  expect(queue.clear()).toEqual(['a2', 'b1']);
  expect(queue.hasOwner(() => true)).toBe(false);
});
