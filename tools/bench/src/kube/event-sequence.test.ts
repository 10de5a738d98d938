import { describe, expect, it } from '@jest/globals';
import { EventSequence, textOfViolation, type Violation } from './event-sequence.js';

type Event = readonly [object: string, count: number, resourceVersion: number];

function violationsOf(events: readonly Event[], written: Record<string, number> = {}): Violation[] {
  const sequence = new EventSequence(['a/x', 'a/y']);
  const found = events.map(([object, count, resourceVersion]) =>
    sequence.take({ object, count, resourceVersion: String(resourceVersion) }),
  );
  const missing = sequence.missing((object) => written[object] ?? 0);
  return [...found, ...missing].filter((violation) => violation !== undefined);
}

describe('the check of the events of a watch', () => {
  it.each<[string, readonly Event[], Record<string, number>]>([
    ['nothing, when nothing was written', [], {}],
    [
      'each write once, in order',
      [
        ['a/x', 1, 10],
        ['a/y', 1, 11],
        ['a/x', 2, 12],
      ],
      { 'a/x': 2, 'a/y': 1 },
    ],
    ['an event of a write whose response has not arrived yet', [['a/x', 1, 10]], { 'a/x': 0 }],
  ])('accepts %s', (_title, events, written) => {
    expect(violationsOf(events, written)).toEqual([]);
  });

  it.each<[string, Violation['problem'], readonly Event[], Omit<Violation, 'problem'>]>([
    [
      'an event that is missed',
      'missed',
      [
        ['a/x', 1, 10],
        ['a/x', 3, 14],
        ['a/x', 4, 15],
      ],
      {
        object: 'a/x',
        expected: 'count 2 after resourceVersion 10',
        received: 'count 3 at resourceVersion 14',
      },
    ],
    [
      'the first event, if it is missed',
      'missed',
      [['a/y', 2, 11]],
      {
        object: 'a/y',
        expected: 'count 1 after resourceVersion 0',
        received: 'count 2 at resourceVersion 11',
      },
    ],
    [
      'an event that arrives twice',
      'duplicated',
      [
        ['a/x', 1, 10],
        ['a/x', 1, 10],
        ['a/x', 2, 12],
      ],
      {
        object: 'a/x',
        expected: 'count 2 after resourceVersion 10',
        received: 'count 1 at resourceVersion 10',
      },
    ],
    [
      'a write that is stored twice',
      'duplicated',
      [
        ['a/x', 1, 10],
        ['a/x', 1, 11],
        ['a/x', 2, 12],
      ],
      {
        object: 'a/x',
        expected: 'count 2 after resourceVersion 10',
        received: 'count 1 at resourceVersion 11',
      },
    ],
    [
      'a resourceVersion that does not increase',
      'reordered',
      [
        ['a/x', 1, 10],
        ['a/x', 2, 9],
      ],
      {
        object: 'a/x',
        expected: 'count 2 after resourceVersion 10',
        received: 'count 2 at resourceVersion 9',
      },
    ],
    [
      'an object that the watch does not select',
      'unknown',
      [['b/x', 1, 10]],
      { object: 'b/x', expected: 'no event', received: 'count 1 at resourceVersion 10' },
    ],
  ])('reports %s', (_title, problem, events, violation) => {
    expect(violationsOf(events)).toEqual([{ problem, ...violation }]);
  });

  it('reports two events in the wrong order as a gap, and then as a reordered event', () => {
    const problems = violationsOf([
      ['a/x', 1, 10],
      ['a/x', 3, 14],
      ['a/x', 2, 12],
      ['a/x', 4, 15],
    ]).map(({ problem, received }) => [problem, received]);
    expect(problems).toEqual([
      ['missed', 'count 3 at resourceVersion 14'],
      ['reordered', 'count 2 at resourceVersion 12'],
    ]);
  });

  it('reports events that are missing at the end, once for each object', () => {
    expect(violationsOf([['a/x', 1, 10]], { 'a/x': 3, 'a/y': 1 })).toEqual([
      {
        object: 'a/x',
        problem: 'missed',
        expected: 'count 3 at last',
        received: 'count 1 at resourceVersion 10',
      },
      {
        object: 'a/y',
        problem: 'missed',
        expected: 'count 1 at last',
        received: 'count 0 at resourceVersion 0',
      },
    ]);
  });

  it('names the object, the expected value and the received value', () => {
    const [violation] = violationsOf([['a/y', 2, 11]]);
    expect(violation && textOfViolation(violation)).toBe(
      'an event of a/y is missed: expected count 1 after resourceVersion 0, received count 2 at resourceVersion 11',
    );
  });
});
