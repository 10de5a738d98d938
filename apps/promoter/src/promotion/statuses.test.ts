import { describe, expect, it } from '@jest/globals';
import { aggregate, findStatuses, keysOf } from './statuses.js';
import { commitStatus, finding, sha } from './testing/builders.js';

const [mine, other] = [sha('aa'), sha('bb')];

describe('findStatuses', () => {
  it('takes the one CommitStatus with the key and the SHA', () => {
    const candidates = [
      commitStatus('x', 'lint', mine, 'success'),
      commitStatus('y', 'lint', other, 'failure'),
    ];
    expect(findStatuses(['lint'], mine, candidates)).toMatchObject([{ key: 'lint', phase: 'success' }]);
  });

  it.each([
    ['there is none', []],
    ['it is for another SHA', [commitStatus('x', 'lint', other, 'success')]],
    ['it has another key', [commitStatus('x', 'test', mine, 'success')]],
    [
      'it is being deleted',
      [
        {
          ...commitStatus('x', 'lint', mine, 'success'),
          metadata: { ...commitStatus('x', 'lint', mine, 'success').metadata, deletionTimestamp: 'now' },
        },
      ],
    ],
  ])('is pending when %s', (_case, candidates) => {
    expect(findStatuses(['lint'], mine, candidates)).toMatchObject([{ phase: 'pending', reason: 'Missing' }]);
  });

  it('is pending when there are two, and names both', () => {
    const candidates = [
      commitStatus('x', 'lint', mine, 'success'),
      commitStatus('y', 'lint', mine, 'success'),
    ];
    const [found] = findStatuses(['lint'], mine, candidates);
    expect(found).toMatchObject({ phase: 'pending', reason: 'Conflict' });
    expect(found?.message).toContain('x and y');
  });

  it('is pending for all keys when there is no commit', () => {
    expect(findStatuses(['a', 'b'], undefined, [])).toMatchObject([
      { phase: 'pending' },
      { phase: 'pending' },
    ]);
  });
});

describe('keysOf', () => {
  it('gives each key once, in order', () => {
    expect(keysOf([{ key: 'b' }, { key: 'a' }], undefined, [{ key: 'b' }, { key: 'c' }])).toEqual([
      'b',
      'a',
      'c',
    ]);
  });
});

describe('aggregate', () => {
  it.each([
    [[], 'healthy'],
    [['success', 'success'], 'healthy'],
    [['success', 'queued'], 'in-progress'],
    [['pending'], 'in-progress'],
    [['in_progress', 'failure'], 'failure'],
    [['cancelled'], 'failure'],
  ] as const)('of %j is %s', (phases, expected) => {
    expect(aggregate(phases.map((phase) => finding('k', phase)))).toBe(expected);
  });
});
