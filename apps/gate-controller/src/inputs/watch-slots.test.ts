import { expect, it } from '@jest/globals';
import { WatchSlots } from './watch-slots.js';

const takeMany = (slots: WatchSlots, namespace: string): object[] =>
  Array.from({ length: 300 }, () => ({})).filter((holder) => slots.take(namespace, holder));

it('a namespace takes at most a quarter of the watches, so that others have some', () => {
  const slots = new WatchSlots();
  expect(takeMany(slots, 'a')).toHaveLength(64);
  expect(takeMany(slots, 'b')).toHaveLength(64);
});

it('all namespaces together have at most 256 watches', () => {
  const slots = new WatchSlots();
  expect(['a', 'b', 'c', 'd', 'e'].flatMap((namespace) => takeMany(slots, namespace))).toHaveLength(256);
});

it('a watch that ends gives its place to another one, once', () => {
  const slots = new WatchSlots();
  const [first = {}] = takeMany(slots, 'a');
  slots.release('a', first);
  slots.release('a', first);
  expect(takeMany(slots, 'a')).toHaveLength(1);
});
