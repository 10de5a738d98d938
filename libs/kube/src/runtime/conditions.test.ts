import { describe, expect, it } from '@jest/globals';
import { TypedError, type Condition } from '@interlock/api';
import fc from 'fast-check';
import {
  changedConditions,
  isTrue,
  markReady,
  markReconciling,
  markStalled,
  setCondition,
} from './conditions.js';

const noon = Date.UTC(2026, 5, 1, 12);
const later = noon + 60_000;
const because = { reason: 'Because', message: 'It is so.' };

function condition(type: string, status: Condition['status'], more: Partial<Condition> = {}): Condition {
  return {
    type,
    status,
    reason: 'Because',
    message: 'It is so.',
    lastTransitionTime: '2026-06-01T12:00:00Z',
    ...more,
  };
}

describe('setCondition', () => {
  it.each([
    ['adds the first condition', undefined, 'True', '2026-06-01T12:01:00Z'],
    ['keeps the transition time with the status', [condition('A', 'True')], 'True', '2026-06-01T12:00:00Z'],
    ['sets the transition time with a new status', [condition('A', 'False')], 'True', '2026-06-01T12:01:00Z'],
  ] as const)('%s', (_case, before, status, lastTransitionTime) => {
    const input = { type: 'A', status, reason: 'Other', message: 'Now.' };
    expect(setCondition(before, input, 7, later)).toEqual([
      { ...input, observedGeneration: 7, lastTransitionTime },
    ]);
  });

  it('does not change the other conditions, the order or its argument', () => {
    const before = Object.freeze([condition('A', 'True'), condition('B', 'True'), condition('C', 'True')]);
    const after = setCondition(before, { type: 'B', status: 'False', ...because }, undefined, later);
    expect(after.map(({ type }) => type)).toEqual(['A', 'B', 'C']);
    expect([after[0], after[2]]).toEqual([before[0], before[2]]);
    expect(Object.keys(after[1]!)).not.toContain('observedGeneration');
  });

  it('cuts a long message', () => {
    const [cut] = setCondition(
      [],
      { type: 'A', status: 'True', reason: 'Long', message: 'x'.repeat(99_999) },
      1,
      noon,
    );
    expect(cut!.message).toHaveLength(2_048);
    expect(cut!.message.endsWith('x…')).toBe(true);
  });
});

describe('the Ready, Reconciling and Stalled triple', () => {
  const marks = { markReady, markReconciling, markStalled };
  const statuses = (list: readonly Condition[]) =>
    Object.fromEntries(list.map(({ type, status }) => [type, status]));

  it.each([
    ['markReady', { Other: 'Unknown', Ready: 'True' }],
    ['markReconciling', { Other: 'Unknown', Ready: 'False', Reconciling: 'True' }],
    ['markStalled', { Other: 'Unknown', Ready: 'False', Stalled: 'True' }],
  ] as const)('is set consistently by %s', (name, expected) => {
    expect(statuses(marks[name]([condition('Other', 'Unknown')], because, 1, noon))).toEqual(expected);
  });

  it.each(['markReady', 'markReconciling', 'markStalled'] as const)(
    'has the message of the error that is passed to %s',
    (name) => {
      const error = new TypedError('Transient', 'no route', { reason: 'Unreachable' });
      const said = marks[name]([], error, 1, noon).map(({ reason, message }) => ({ reason, message }));
      expect(new Set(said.map((one) => JSON.stringify(one)))).toEqual(
        new Set([JSON.stringify({ reason: 'Unreachable', message: 'no route' })]),
      );
    },
  );

  it('is consistent whatever the previous conditions were', () => {
    const name = fc.constantFrom('markReady' as const, 'markReconciling' as const, 'markStalled' as const);
    fc.assert(
      fc.property(fc.array(name, { minLength: 1 }), (names) => {
        let list: Condition[] = [];
        for (const mark of names) list = marks[mark](list, because, 1, noon);
        const on = ['Ready', 'Reconciling', 'Stalled'].filter((type) => isTrue(list, type));
        expect(on).toHaveLength(1);
        expect(`mark${on[0]}`).toBe(names.at(-1));
      }),
    );
  });
});

describe('the comparison of conditions', () => {
  const list = [condition('A', 'True'), condition('B', 'False')];

  it('finds the changed conditions', () => {
    const after = [
      condition('A', 'True', { message: 'Said otherwise.', observedGeneration: 3 }),
      condition('B', 'False', { reason: 'New' }),
      condition('C', 'True'),
    ];
    expect(changedConditions(list, after).map(({ type }) => type)).toEqual(['B', 'C']);
  });
});
