import { describe, expect, it } from '@jest/globals';
import { labels, type CommitStatus } from '@interlock/api';
import { aggregate, byCommit, findStatuses, keysOf, statusesOf } from './statuses.js';
import { commitStatus, finding, sha } from './testing/builders.js';

const [mine, other] = [sha('aa'), sha('bb')];

describe('statusesOf', () => {
  const at = (name: string, key: string, strategy: string, branch: string, controller = strategy) => {
    const status = commitStatus(name, key, mine, 'success');
    const given = { [labels.promotionStrategy]: strategy, [labels.activeBranch]: branch };
    return {
      ...status,
      metadata: {
        ...status.metadata,
        labels: { ...status.metadata.labels, ...given },
        ownerReferences: [
          {
            apiVersion: 'promoter.argoproj.io/v1alpha1',
            kind: 'PromotionStrategy',
            name: controller,
            uid: `uid-of-${controller}`,
            controller: true,
          },
        ],
      },
    };
  };
  const reader = { branch: 'dev', strategy: { name: 'app', uid: 'uid-of-app' } };
  const namesOf = (statuses: readonly CommitStatus[]) => statuses.map(({ metadata }) => metadata.name);

  it('returns only the promotion status of its strategy, of a hundred strategies that propose one commit', () => {
    const others = Array.from({ length: 100 }, (_, index) =>
      at(`o${index}`, 'promotion', `s${index}`, 'dev'),
    );
    const own = at('own', 'promotion', 'app', 'dev');
    const found = statusesOf([...others, own], reader);
    expect(namesOf(found)).toEqual(['own']);
    expect(findStatuses(['promotion'], mine, byCommit(found), reader)).toMatchObject([
      { phase: 'success', reason: 'Reported' },
    ]);
  });

  it('distinguishes the environments of one strategy', () => {
    const both = [at('dev', 'promotion', 'app', 'dev'), at('test', 'promotion', 'app', 'test')];
    expect(namesOf(statusesOf(both, reader))).toEqual(['dev']);
    expect(namesOf(statusesOf(both, { ...reader, branch: 'test' }))).toEqual(['test']);
  });

  it('ignores a promotion status that only names the strategy', () => {
    expect(statusesOf([at('forged', 'promotion', 'app', 'dev', 'other')], reader)).toEqual([]);
    expect(statusesOf([commitStatus('plain', 'promotion', mine, 'success')], reader)).toEqual([]);
  });

  it('ignores statuses for another environment, except those of a gate', () => {
    const timed = at('timed', 'timer', 'app', 'test');
    const gate = at('gate', 'freeze', 'app', 'test');
    const promoter = {
      ...gate,
      metadata: { ...gate.metadata, labels: { ...gate.metadata.labels, [labels.gateBinding]: 'b' } },
    };
    const plain = commitStatus('lint', 'lint', mine, 'success');
    expect(namesOf(statusesOf([timed, promoter, plain], reader))).toEqual(['gate', 'lint']);
  });
});

describe('findStatuses', () => {
  const reader = { branch: 'dev' };

  it('returns the one CommitStatus with the key and the SHA', () => {
    const candidates = [
      commitStatus('x', 'lint', mine, 'success'),
      commitStatus('y', 'lint', other, 'failure'),
    ];
    expect(findStatuses(['lint'], mine, byCommit(candidates), reader)).toMatchObject([
      { key: 'lint', phase: 'success' },
    ]);
  });

  it.each([
    ['no CommitStatus exists', []],
    ['the CommitStatus is for another SHA', [commitStatus('x', 'lint', other, 'success')]],
    ['the CommitStatus has another key', [commitStatus('x', 'test', mine, 'success')]],
    [
      'the CommitStatus is being deleted',
      [
        {
          ...commitStatus('x', 'lint', mine, 'success'),
          metadata: { ...commitStatus('x', 'lint', mine, 'success').metadata, deletionTimestamp: 'now' },
        },
      ],
    ],
  ])('reports pending when %s', (_case, candidates) => {
    expect(findStatuses(['lint'], mine, byCommit(candidates), reader)).toMatchObject([
      { phase: 'pending', reason: 'Missing' },
    ]);
  });

  it('reports pending when two CommitStatuses match, and names both', () => {
    const candidates = [
      commitStatus('x', 'lint', mine, 'success'),
      commitStatus('y', 'lint', mine, 'success'),
    ];
    const [found] = findStatuses(['lint'], mine, byCommit(candidates), reader);
    expect(found).toMatchObject({ phase: 'pending', reason: 'Conflict' });
    expect(found?.message).toContain('x and y');
  });

  it('reports pending for all keys when there is no commit', () => {
    expect(findStatuses(['a', 'b'], undefined, byCommit([]), reader)).toMatchObject([
      { phase: 'pending' },
      { phase: 'pending' },
    ]);
  });
});

describe('keysOf', () => {
  it('returns each key once, in order', () => {
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
