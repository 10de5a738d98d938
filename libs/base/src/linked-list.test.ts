import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LinkedList, ListElement } from './linked-list.js';

class Numbered extends ListElement<Numbered> {
  readonly number: number;

  constructor(number: number) {
    super();
    this.number = number;
  }
}

describe('LinkedList', () => {
  it('contains the same elements as a Set after any changes, in the same order', () => {
    const change = fc.record({ isAddition: fc.boolean(), number: fc.nat(9) });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
        const elements = Array.from({ length: 10 }, (_, number) => new Numbered(number));
        const list = new LinkedList<Numbered>();
        const set = new Set<Numbered>();
        for (const { isAddition, number } of changes) {
          const element = elements[number]!;
          if (isAddition && !set.has(element)) {
            set.add(element);
            list.add(element);
          } else if (!isAddition) {
            expect(list.remove(element)).toBe(set.delete(element));
          }
          expect(list.all()).toEqual([...set]);
          expect([list.size, list.first]).toEqual([set.size, [...set][0]]);
        }
      }),
      { seed: 3, numRuns: 300 },
    );
  });

  it('clears the references of a removed element, which would keep other elements in memory', () => {
    const list = new LinkedList<Numbered>();
    const [first, second, third] = [new Numbered(1), new Numbered(2), new Numbered(3)];
    for (const element of [first, second, third]) list.add(element);
    list.remove(second);
    expect([second.previous, second.next, first.next, third.previous]).toEqual([
      undefined,
      undefined,
      third,
      first,
    ]);
  });
});
