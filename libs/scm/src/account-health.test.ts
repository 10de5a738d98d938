import { beforeEach, describe, expect, test } from '@jest/globals';
import { TypedError } from '@interlock/api';
import { AccountHealth, type AccountRef } from './account-health.js';
import { contentLimit } from './governor/governor.js';
import type { ScmRepository } from './scm.js';

const account: AccountRef = { kind: 'ScmProvider', namespace: 'team', name: 'forge' };
const silent = new TypedError('Transient', 'no answer', { reason: 'Network' });
const refused = new TypedError('Unauthorized', 'the credential is refused', { reason: 'BadCredentials' });
const limited = new TypedError('RateLimited', 'the rate limit is used up', { retryAfterMs: 60_000 });

let now: number;
/** Milliseconds by which the clock was changed. */
let setMs: number;
let changes: AccountRef[];
let health: AccountHealth;

beforeEach(() => {
  now = 1_000_000;
  setMs = 0;
  changes = [];
  health = new AccountHealth({ now: () => now + setMs, monotonic: () => now });
  health.changed = (changed) => changes.push(changed);
});

describe('a problem of an account', () => {
  test.each([silent, refused, limited])('begins with a call that fails as $type', (error) => {
    health.record(account, 'call', error);
    expect(health.problemOf(account)).toMatchObject({ error, since: now });
    expect(changes).toEqual([account]);
  });

  test.each([
    ['an object that does not exist', new TypedError('NotFound', 'no such pull request')],
    [
      'a repository that the credential lacks a permission for',
      new TypedError('Unauthorized', 'the credential lacks a permission', { reason: 'Forbidden' }),
    ],
    ['a conflict', new TypedError('Conflict', 'the head moved')],
    ['a request that the SCM refuses', new TypedError('Invalid', 'no commits')],
    ['a call that the process defers', new TypedError('RateLimited', 'deferred', { reason: contentLimit })],
    ['a full queue', new TypedError('RateLimited', '7 calls wait', { reason: 'Busy' })],
    ['an abort', new Error('stopped')],
  ])('does not begin with %s', (_, error) => {
    health.record(account, 'call', error);
    expect(health.problemOf(account)).toBeUndefined();
    expect(changes).toEqual([]);
  });

  test('keeps its start time while calls fail, and reports the latest failure', () => {
    health.record(account, 'call', silent);
    now += 5_000;
    health.record(account, 'call', refused);
    expect(health.problemOf(account)).toEqual({ error: refused, since: 1_000_000 });
    expect(changes).toHaveLength(1);
  });

  test.each([-3_600_000, 3_600_000])('has the same duration when the clock changes by %d ms', (stepMs) => {
    health.record(account, 'call', limited);
    setMs = stepMs;
    now += 59_999;
    health.record(account, 'call');
    const trouble = health.problemOf(account);
    expect(trouble).toMatchObject({ since: now + stepMs - 59_999, until: now + stepMs + 1 });
    now += 1;
    health.record(account, 'call');
    expect(health.problemOf(account)).toBeUndefined();
  });

  test('ends with a call that the SCM answers', () => {
    health.record(account, 'call', silent);
    health.record(account, 'call', new TypedError('NotFound', 'no such pull request'));
    expect(health.problemOf(account)).toBeUndefined();
    expect(changes).toEqual([account, account]);
  });

  test('is not ended by an abort', () => {
    health.record(account, 'call', silent);
    health.record(account, 'call', new Error('stopped'));
    expect(health.problemOf(account)).toBeDefined();
  });

  test('that is a rate limit lasts as long as the SCM requested, whatever the results of other calls are', () => {
    health.record(account, 'call', limited);
    health.record(account, 'call');
    expect(health.problemOf(account)).toMatchObject({ until: now + 60_000 });
    now += 60_000;
    health.record(account, 'call');
    expect(health.problemOf(account)).toBeUndefined();
  });

  test('that began with refused credentials ends when credentials are accepted', () => {
    health.record(account, 'credentials', refused);
    health.record(account, 'credentials');
    expect(health.problemOf(account)).toBeUndefined();
  });

  test('is forgotten when no call repeats the failure for a quarter of an hour', () => {
    health.record(account, 'call', silent);
    now += 15 * 60_000;
    expect(health.problemOf(account)).toBeDefined();
    now += 1;
    expect(health.problemOf(account)).toBeUndefined();
  });

  test('does not affect another account', () => {
    health.record(account, 'call', silent);
    expect(health.problemOf({ ...account, namespace: 'other' })).toBeUndefined();
  });
});

/** A repository with given responses; its methods need their receiver. */
class Repository {
  #error: Error | undefined;
  readonly contents = {
    branchTip: () => this.#answer(),
  };

  fail(error: Error | undefined): void {
    this.#error = error;
  }
  webUrl(): string {
    return this.#error?.message ?? 'https://git.example.com';
  }
  describe(): Promise<unknown> {
    return this.#answer();
  }
  gitCredentials(): Promise<unknown> {
    return this.#answer();
  }
  #answer(): Promise<unknown> {
    return this.#error === undefined ? Promise.resolve({}) : Promise.reject(this.#error);
  }
}

describe('a watched repository', () => {
  const watched = (): [Repository, ScmRepository] => {
    const repository = new Repository();
    return [repository, health.watch(account, repository as unknown as ScmRepository)];
  };

  test('records its calls, and returns the same results', async () => {
    const [repository, scm] = watched();
    repository.fail(silent);
    await expect(scm.describe()).rejects.toBe(silent);
    expect(scm.webUrl()).toBe('no answer');
    expect(health.problemOf(account)).toBeDefined();
    repository.fail(undefined);
    await expect(scm.describe()).resolves.toEqual({});
    expect(health.problemOf(account)).toBeUndefined();
  });

  test('records calls about files', async () => {
    const [repository, scm] = watched();
    repository.fail(refused);
    await expect(scm.contents?.branchTip('main')).rejects.toBe(refused);
    expect(health.problemOf(account)).toMatchObject({ error: refused });
  });

  test('does not treat a cached credential as a response of the SCM', async () => {
    const [repository, scm] = watched();
    repository.fail(silent);
    await expect(scm.describe()).rejects.toBe(silent);
    repository.fail(undefined);
    await scm.gitCredentials();
    expect(health.problemOf(account)).toBeDefined();
  });
});
