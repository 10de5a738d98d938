import { describe, expect, it } from '@jest/globals';
import { blocking } from './checks.js';
import type { ObservedEnvironment } from './model.js';
import { Environments } from './order.js';
import { evaluateRules } from './rules.js';
import { ancestry, commit, d1, d2, d3, environment, finding, sha } from './testing/builders.js';

/** @returns state and reason of each rule for the environment of that branch. */
function rulesOf(all: ObservedEnvironment[], branch: string): Record<string, string> {
  const subject = all.find((one) => one.branch === branch) as ObservedEnvironment;
  const lines = evaluateRules(new Environments(all), subject, ancestry);
  return Object.fromEntries(lines.map((line) => [line.name, `${line.state} ${line.reason}`]));
}

const after = (...branches: string[]) => ({ dependsOn: branches });

describe('Forward', () => {
  it.each([
    ['a newer dry commit', [environment('dev', d1, d2)], 'success Descendant'],
    ['the same dry commit, hydrated again', [environment('dev', d2, d2)], 'success Descendant'],
    ['an older dry commit', [environment('dev', d2, d1)], 'pending Backwards'],
    [
      'a dry commit older than what an environment after it runs',
      [environment('dev', d1, d2), environment('test', d3, d3, after('dev'))],
      'pending Backwards',
    ],
    [
      'a dry commit older than what an environment after the one after it runs',
      [
        environment('dev', d1, d2),
        environment('test', d1, d2, after('dev')),
        environment('prod', d3, d3, after('test')),
      ],
      'pending Backwards',
    ],
    [
      'an older dry commit in an environment that it does not lead to',
      [environment('dev', d1, d2), environment('other', d3, d3)],
      'success Descendant',
    ],
    [
      'a commit that is not on the dry branch',
      [environment('dev', d1, sha('ff'))],
      'pending UnknownDryCommit',
    ],
    [
      'an environment that runs nothing known',
      [environment('dev', d1, d2, { active: commit('a1', undefined) })],
      'success Descendant',
    ],
  ])('%s', (_case, all, expected) => {
    expect(rulesOf(all, 'dev')['Forward']).toBe(expected);
  });

  it('waits for a proposed commit that names no dry commit', () => {
    const dev = environment('dev', d1, d2, { proposed: commit('b1', undefined) });
    expect(rulesOf([dev], 'dev')).toEqual({ Forward: 'pending NoDryCommit' });
  });
});

describe('Order', () => {
  const prod = environment('prod', d1, d2, after('test'));
  it.each([
    ['the environment before runs it', [environment('test', d2, d2)], 'success InOrder'],
    [
      'the environment before runs an older one',
      [environment('test', d1, d2)],
      'pending WaitingForEnvironment',
    ],
    [
      'the environment before runs a newer one',
      [environment('test', d3, d3)],
      'pending WaitingForEnvironment',
    ],
    [
      'hydration changed nothing in the environment before, which depends on nothing',
      [environment('test', d1, d1, { unchangedBy: [d2] })],
      'success InOrder',
    ],
    [
      'hydration changed nothing in the environment before, and the one before that runs it',
      [environment('dev', d2, d2), environment('test', d1, d1, { ...after('dev'), unchangedBy: [d2] })],
      'success InOrder',
    ],
    [
      'hydration changed nothing in the environment before, but the one before that does not run it',
      [environment('dev', d1, d2), environment('test', d1, d1, { ...after('dev'), unchangedBy: [d2] })],
      'pending WaitingForEnvironment',
    ],
  ])('%s', (_case, before, expected) => {
    expect(rulesOf([...before, prod], 'prod')['Order']).toBe(expected);
  });

  it('waits for every dependency', () => {
    const both = environment('prod', d1, d2, after('east', 'west'));
    const east = environment('east', d2, d2);
    expect(rulesOf([east, environment('west', d1, d2), both], 'prod')['Order']).toBe(
      'pending WaitingForEnvironment',
    );
    expect(rulesOf([east, environment('west', d2, d2), both], 'prod')['Order']).toBe('success InOrder');
  });

  it('holds when no CommitStatus is configured at all', () => {
    const all = [environment('test', d1, d2), prod];
    expect(blocking(evaluateRules(new Environments(all), prod, ancestry))?.name).toBe('Order');
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
    ['none asked for', test(), 'success Healthy'],
    ['one missing', test('success', 'pending'), 'pending WaitingForActiveStatus'],
    ['one in progress', test('in_progress'), 'pending WaitingForActiveStatus'],
    ['one failed, one in progress', test('in_progress', 'failure'), 'failure ActiveStatusFailed'],
    ['one cancelled', test('cancelled'), 'failure ActiveStatusFailed'],
  ])('%s', (_case, before, expected) => {
    expect(rulesOf([before, prod], 'prod')['Healthy']).toBe(expected);
  });

  it('asks the environments before one in which nothing changed as well', () => {
    const dev = environment('dev', d2, d2, { activeStatuses: [finding('health', 'failure')] });
    const unchanged = environment('test', d1, d1, { ...after('dev'), unchangedBy: [d2] });
    expect(rulesOf([dev, unchanged, prod], 'prod')['Healthy']).toBe('failure ActiveStatusFailed');
  });

  it('does not ask the environment itself: a new commit may be what heals it', () => {
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
  ] as const)('under the drift policy %s', (driftPolicy, expected) => {
    expect(rulesOf([environment('dev', d1, d2, { drift, driftPolicy })], 'dev')['NotHeld']).toBe(expected);
    expect(rulesOf([environment('dev', d1, d2, { driftPolicy })], 'dev')['NotHeld']).toBe('success NotHeld');
  });

  it('waits for the hold to be removed and gives its reason', () => {
    const held = environment('dev', d1, d2, { hold: { reason: 'migration' } });
    const line = evaluateRules(new Environments([held]), held, ancestry).at(-1);
    expect(line).toMatchObject({ name: 'NotHeld', state: 'pending', reason: 'Held' });
    expect(line?.message).toContain('migration');
  });
});
