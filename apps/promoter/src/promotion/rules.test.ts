import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { blocking } from './checks.js';
import type { Descends, ObservedEnvironment } from './model.js';
import { Environments } from './order.js';
import { evaluateRules } from './rules.js';
import { ancestry, commit, d1, d2, d3, environment, finding, linear, main, sha } from './testing/builders.js';

/** Returns the state and the reason of each rule for the environment of that branch. */
function rulesOf(all: ObservedEnvironment[], branch: string): Record<string, string> {
  const subject = all.find((one) => one.branch === branch) as ObservedEnvironment;
  const lines = evaluateRules(new Environments(all), subject, main());
  return Object.fromEntries(lines.map((line) => [line.name, `${line.state} ${line.reason}`]));
}

const after = (...branches: string[]) => ({ dependsOn: branches });

describe('Forward', () => {
  it.each([
    ['a newer dry commit', [environment('dev', d1, d2)], 'success Descendant'],
    ['the same dry commit, hydrated again', [environment('dev', d2, d2)], 'success Descendant'],
    ['an older dry commit', [environment('dev', d2, d1)], 'pending Backwards'],
    [
      'a dry commit that is older than the commit in the next environment',
      [environment('dev', d1, d2), environment('test', d3, d3, after('dev'))],
      'pending Backwards',
    ],
    [
      'a dry commit that is older than the commit in the environment after the next one',
      [
        environment('dev', d1, d2),
        environment('test', d1, d2, after('dev')),
        environment('prod', d3, d3, after('test')),
      ],
      'pending Backwards',
    ],
    [
      'a dry commit that is older than the commit in an independent environment',
      [environment('dev', d1, d2), environment('other', d3, d3)],
      'success Descendant',
    ],
    [
      'a commit that is not on the dry branch',
      [environment('dev', d1, sha('ff'))],
      'pending UnknownDryCommit',
    ],
    [
      'an environment whose active dry commit is unknown',
      [environment('dev', d1, d2, { active: commit('a1', undefined) })],
      'success Descendant',
    ],
  ])('decides on %s', (_case, all, expected) => {
    expect(rulesOf(all, 'dev')['Forward']).toBe(expected);
  });

  it.each([
    ['a commit of another branch', d2, [d1, d3], 'd200000 is not on main'],
    [
      'a commit of the branch, after a commit of another branch',
      d3,
      [d1, d3],
      'a200000, active in dev, is not on main',
    ],
  ])('does not allow %s', (_case, proposed, branch, expected) => {
    const side = sha('a2');
    const descends: Descends = (ancestor, descendant) =>
      ancestor === descendant ||
      (branch.includes(ancestor) && branch.indexOf(ancestor) < branch.indexOf(descendant)) ||
      (ancestor === d1 && descendant !== d1);
    const dev = environment('dev', proposed === d2 ? d1 : side, proposed);
    const [line] = evaluateRules(new Environments([dev]), dev, main(descends, d3));
    expect(line).toMatchObject({
      name: 'Forward',
      state: 'pending',
      reason: proposed === d2 ? 'NotOnDryBranch' : 'Diverged',
      message: expect.stringContaining(expected),
    });
  });

  it('names the fix when the dry branch was reset', () => {
    const dev = environment('dev', d3, d2);
    const [line] = evaluateRules(new Environments([dev]), dev, main(linear(d1, d2, d3), d2));
    expect(line).toMatchObject({ state: 'pending', reason: 'Backwards' });
    expect(line?.message).toContain('is not on main; merge d300000 into main with "git merge -s ours"');
  });

  it('waits for the dry branch to exist', () => {
    const dev = environment('dev', d1, d2);
    const [line] = evaluateRules(new Environments([dev]), dev, {
      name: 'trunk',
      descends: ancestry,
      behind: () => undefined,
    });
    expect(line).toMatchObject({ state: 'pending', reason: 'DryBranchNotFound' });
    expect(line?.message).toContain('spec.dryBranch: branch trunk does not exist');
  });

  it('waits if the proposed commit does not name a dry commit', () => {
    const dev = environment('dev', d1, d2, { proposed: commit('b1', undefined) });
    expect(rulesOf([dev], 'dev')).toEqual({ Forward: 'pending NoDryCommit' });
  });
});

describe('Order', () => {
  const prod = environment('prod', d1, d2, after('test'));
  it.each([
    ['the preceding environment runs it', [environment('test', d2, d2)], 'success InOrder'],
    [
      'the preceding environment runs an older commit',
      [environment('test', d1, d2)],
      'pending WaitingForEnvironment',
    ],
    [
      'the preceding environment runs a newer commit',
      [environment('test', d3, d3)],
      'pending WaitingForEnvironment',
    ],
    [
      'hydration changed nothing in the preceding environment, which depends on nothing',
      [environment('test', d1, d1, { unchangedBy: [d2] })],
      'success InOrder',
    ],
    [
      'hydration changed nothing in the preceding environment, and the environment before that one runs it',
      [environment('dev', d2, d2), environment('test', d1, d1, { ...after('dev'), unchangedBy: [d2] })],
      'success InOrder',
    ],
    [
      'hydration changed nothing in the preceding environment, but the environment before that one does not run it',
      [environment('dev', d1, d2), environment('test', d1, d1, { ...after('dev'), unchangedBy: [d2] })],
      'pending WaitingForEnvironment',
    ],
  ])('decides on a dry commit when %s', (_case, before, expected) => {
    expect(rulesOf([...before, prod], 'prod')['Order']).toBe(expected);
  });

  it('waits for every preceding environment, however distant', () => {
    const test = environment('test', d2, d2, after('dev'));
    const stage = environment('stage', d2, d2, after('test'));
    const last = environment('prod', d1, d2, after('stage'));
    const [line] = evaluateRules(
      new Environments([environment('dev', d3, d3), test, stage, last]),
      last,
      main(),
    ).filter(({ name }) => name === 'Order');
    expect(line).toMatchObject({ state: 'pending', reason: 'WaitingForEnvironment' });
    expect(line?.message).toContain('dev runs d300000, not d200000');
    expect(rulesOf([environment('dev', d2, d2), test, stage, last], 'prod')['Order']).toBe('success InOrder');
  });

  it('waits for every dependency', () => {
    const both = environment('prod', d1, d2, after('east', 'west'));
    const east = environment('east', d2, d2);
    expect(rulesOf([east, environment('west', d1, d2), both], 'prod')['Order']).toBe(
      'pending WaitingForEnvironment',
    );
    expect(rulesOf([east, environment('west', d2, d2), both], 'prod')['Order']).toBe('success InOrder');
  });

  it('applies even if no CommitStatus is configured', () => {
    const all = [environment('test', d1, d2), prod];
    expect(blocking(evaluateRules(new Environments(all), prod, main()))?.name).toBe('Order');
  });

  it('waits for an environment whose branch does not exist', () => {
    const { active: _active, ...test } = environment('test', d1, d2);
    expect(rulesOf([test, prod], 'prod')['Order']).toBe('pending WaitingForEnvironment');
  });
});

describe('Healthy', () => {
  const prod = environment('prod', d1, d2, after('test'));
  const test = (...phases: Parameters<typeof finding>[1][]) =>
    environment('test', d2, d2, { activeStatuses: phases.map((phase, n) => finding(`key-${n}`, phase)) });

  it.each([
    ['all successful', test('success', 'success'), 'success Healthy'],
    ['none required', test(), 'success Healthy'],
    ['one missing', test('success', 'pending'), 'pending WaitingForActiveStatus'],
    ['one in progress', test('in_progress'), 'pending WaitingForActiveStatus'],
    ['one failed, one in progress', test('in_progress', 'failure'), 'failure ActiveStatusFailed'],
    ['one cancelled', test('cancelled'), 'failure ActiveStatusFailed'],
  ])('decides by the statuses of the preceding environment: %s', (_case, before, expected) => {
    expect(rulesOf([before, prod], 'prod')['Healthy']).toBe(expected);
  });

  it('includes the environments that precede an environment in which nothing changed', () => {
    const dev = environment('dev', d2, d2, { activeStatuses: [finding('health', 'failure')] });
    const unchanged = environment('test', d1, d1, { ...after('dev'), unchangedBy: [d2] });
    expect(rulesOf([dev, unchanged, prod], 'prod')['Healthy']).toBe('failure ActiveStatusFailed');
  });

  it('does not include the environment itself, which a new commit may fix', () => {
    const sick = environment('dev', d1, d2, { activeStatuses: [finding('health', 'failure')] });
    expect(rulesOf([sick], 'dev')['Healthy']).toBe('success Healthy');
  });
});

describe('NotHeld', () => {
  const drift = [{ sha: sha('cc'), subject: 'Hotfix', author: 'B. Person' }];

  it.each([
    ['Block', 'pending Drifted'],
    ['Overwrite', 'success NotHeld'],
    ['Adopt', 'success NotHeld'],
  ] as const)('decides on drift by the drift policy %s', (driftPolicy, expected) => {
    expect(rulesOf([environment('dev', d1, d2, { drift, driftPolicy })], 'dev')['NotHeld']).toBe(expected);
    expect(rulesOf([environment('dev', d1, d2, { driftPolicy })], 'dev')['NotHeld']).toBe('success NotHeld');
  });

  it('waits for the hold to be removed and gives its reason', () => {
    const held = environment('dev', d1, d2, { hold: { reason: 'migration' } });
    const line = evaluateRules(new Environments([held]), held, main()).at(-1);
    expect(line).toMatchObject({ name: 'NotHeld', state: 'pending', reason: 'Held' });
    expect(line?.message).toContain('migration');
  });
});

describe('a revert in force', () => {
  const revert = { name: 'back', merged: true, rejectedDrySHA: d2 };
  /* test went from d2 back to d1. */
  const reverted = (proposed: string, holds?: 'NotNewer' | 'SameContent') =>
    environment('test', d1, proposed, { ...after('dev'), reverts: [{ ...revert, holds }] });

  it.each([
    ['NotNewer' as const, 'd200000 is rejected here by RevertCommit back'],
    ['SameContent' as const, 'has the same content as d200000'],
  ])('holds a commit for the reason %s, and states what to do', (holds, expected) => {
    const subject = reverted(d2, holds);
    const line = evaluateRules(new Environments([environment('dev', d2, d2), subject]), subject, main()).at(
      -1,
    );
    expect(line).toMatchObject({ name: 'NotHeld', state: 'pending', reason: 'Reverted' });
    expect(line?.message).toContain(expected);
    expect(line?.message).toContain('delete the RevertCommit');
  });

  it('allows a newer dry commit', () => {
    expect(rulesOf([environment('dev', d3, d3), reverted(d3)], 'test')).toEqual({
      Forward: 'success Descendant',
      Order: 'success InOrder',
      Healthy: 'success Healthy',
      NotHeld: 'success NotHeld',
    });
  });

  it('keeps the rejected dry commit out of every later environment', () => {
    const all = [
      environment('dev', d2, d2),
      reverted(d2, 'NotNewer'),
      environment('stage', d1, d2, after('test')),
      environment('prod', d1, d2, after('stage')),
    ];
    expect(rulesOf(all, 'stage')['Order']).toBe('pending WaitingForEnvironment');
    expect(rulesOf(all, 'prod')['Order']).toBe('pending WaitingForEnvironment');
  });

  it('keeps the rejected dry commit out of later environments even if its hydration changed nothing in between', () => {
    const unchanged = environment('stage', d1, d1, { ...after('test'), unchangedBy: [d2] });
    const all = [reverted(d2, 'NotNewer'), unchanged, environment('prod', d1, d2, after('stage'))];
    expect(rulesOf(all, 'prod')['Order']).toBe('pending WaitingForEnvironment');
  });

  describe('that is not merged yet', () => {
    const underWay = { name: 'back', merged: false, rejectedDrySHA: d2 };
    const prod = (proposed: string) => environment('prod', d1, proposed, after('test'));
    it.each<[string, ObservedEnvironment[], string, string]>([
      [
        'keeps the rejected dry commit out of the later environments',
        [environment('test', d2, d2)],
        d2,
        'pending Reverted',
      ],
      [
        'keeps a newer commit that changed nothing in the reverted environment out of the later environments',
        [environment('test', d2, d2, { unchangedBy: [d3] })],
        d3,
        'pending Reverted',
      ],
      ['allows a newer commit', [environment('test', d3, d3)], d3, 'success NotHeld'],
    ])('%s', (_case, [test], proposed, expected) => {
      const all = [{ ...(test as ObservedEnvironment), reverts: [underWay] }, prod(proposed)];
      expect(rulesOf(all, 'prod')).toMatchObject({ Order: 'success InOrder', NotHeld: expected });
    });

    it('also keeps the rejected dry commit out of the environments after the next one', () => {
      const all = [
        environment('dev', d2, d2, { reverts: [underWay] }),
        environment('test', d2, d2, after('dev')),
        prod(d2),
      ];
      expect(rulesOf(all, 'prod')).toMatchObject({ Order: 'success InOrder', NotHeld: 'pending Reverted' });
    });

    it('does not concern an environment that does not depend on it', () => {
      const all = [environment('test', d2, d2, { reverts: [underWay] }), environment('other', d1, d2)];
      expect(rulesOf(all, 'other')['NotHeld']).toBe('success NotHeld');
    });
  });

  it('lets the later environments catch up with the reverted environment', () => {
    const all = [reverted(d2, 'NotNewer'), environment('prod', d1, d1, after('test'))];
    const behind = { ...(all[1] as ObservedEnvironment), active: commit('a0', undefined) };
    expect(rulesOf([all[0] as ObservedEnvironment, behind], 'prod')).toMatchObject({
      Order: 'success InOrder',
      NotHeld: 'success NotHeld',
    });
  });

  it('never lets a rejected dry commit continue, whatever the environments run', () => {
    const dry = fc.constantFrom(d1, d2, d3);
    const link = fc.record({
      active: dry,
      proposed: dry,
      unchangedBy: fc.uniqueArray(dry),
      merged: fc.boolean(),
      rejected: fc.option(dry, { nil: undefined }),
    });
    const chain = fc.array(link, { minLength: 2, maxLength: 4 });
    fc.assert(
      fc.property(chain, (links) => {
        const all = links.map(({ active, proposed, unchangedBy, merged, rejected }, position) =>
          environment(`e${position}`, active, proposed, {
            ...(position > 0 && after(`e${position - 1}`)),
            unchangedBy,
            reverts: rejected === undefined ? [] : [{ name: 'back', merged, rejectedDrySHA: rejected }],
          }),
        );
        for (const [position, { proposed }] of links.entries()) {
          if (!links.slice(0, position).some(({ rejected }) => rejected === proposed)) continue;
          const subject = all[position] as ObservedEnvironment;
          const block = blocking(evaluateRules(new Environments(all), subject, main()));
          expect(block).toBeDefined();
          expect(rulesOf(all, subject.branch)['NotHeld']).toBe('pending Reverted');
        }
      }),
    );
  });
});
