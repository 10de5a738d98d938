import { FakeClock } from '@interlock/base/testing';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { CallOptions } from './call-options.js';
import { ensurePullRequest } from './ensure.js';
import type { Priority } from './governor/budget.js';
import { Governor } from './governor/governor.js';
import type { PullRequestInfo, ScmRepository } from './scm.js';

const contentPerHour = 10;
const wanted = { head: 'dev-next', base: 'dev', title: 'Sell tea', body: '' };

let clock: FakeClock;
let governor: Governor;
let open: PullRequestInfo | undefined;
let labels: string[];

/** A repository of an SCM that allows ten calls with content per hour. */
const repository = {
  findPullRequests: () => Promise.resolve(open?.state === 'open' ? [open] : []),
  getPullRequest: () => Promise.resolve(open),
  createPullRequest: (_pull: unknown, options?: CallOptions) =>
    create(options, () => (open = pullRequest(wanted.title))),
  updatePullRequest: (_id: number, { title = '' }: { title?: string }, options?: CallOptions) =>
    create(options, () => (open = pullRequest(title))),
  ensureLabels: (_id: number, { add = [] }: { add?: string[] }, options?: CallOptions) =>
    create(options, () => labels.push(...add) > 0),
} as unknown as ScmRepository;

function create<T>({ priority = 'write' }: CallOptions = {}, act: () => T): Promise<T> {
  return governor.run({ priority, mutates: true }, () => Promise.resolve(act()));
}

function pullRequest(title: string): PullRequestInfo {
  return { id: 7, title, body: '', state: 'open', labels: [] as string[] } as PullRequestInfo;
}

async function spend(count: number, priority: Priority = 'critical'): Promise<void> {
  for (let n = 0; n < count; n++) await create({ priority }, () => undefined);
}

beforeEach(() => {
  clock = new FakeClock();
  const writes = { burst: 100, perSecond: 100, contentPerHour };
  const limits = { concurrency: 10, queueLimit: 100, maxWaitMs: 10_000, writes };
  governor = new Governor({ ...limits, clock, random: () => 0 });
  open = undefined;
  labels = [];
});

describe('a pull request when little of the hourly content limit is left', () => {
  test('is created, and its labels are deferred', async () => {
    await spend(7);
    const change = { add: ['promotion'] };
    const ensured = await ensurePullRequest(repository, { ...wanted, labels: change });
    expect(ensured).toMatchObject({
      done: 'created',
      deferred: { type: 'RateLimited', reason: 'ContentLimit' },
    });
    expect(labels).toEqual([]);
    await clock.advance(3_600_000);
    const later = await ensurePullRequest(repository, { ...wanted, labels: change });
    expect(later.deferred).toBeUndefined();
    expect(labels).toEqual(['promotion']);
  });

  test('that is open is not changed, and its text is deferred', async () => {
    open = pullRequest('Sell coffee');
    await spend(7);
    const ensured = await ensurePullRequest(repository, wanted);
    expect(ensured).toMatchObject({ done: 'unchanged', deferred: { reason: 'ContentLimit' } });
    expect(open.title).toBe('Sell coffee');
  });

  test('is not created when the rest is reserved for merges', async () => {
    await spend(9);
    await expect(ensurePullRequest(repository, wanted)).rejects.toMatchObject({ reason: 'ContentLimit' });
    await spend(1);
  });
});

describe('a pull request that is known as open', () => {
  test('is not replaced by another pull request when a user has closed it in the meantime', async () => {
    open = { ...pullRequest('old'), state: 'closed' };
    const change = { ...wanted, labels: { add: ['promotion'] } };
    expect(await ensurePullRequest(repository, { ...change, known: 7 })).toEqual({
      pullRequest: open,
      done: 'unchanged',
    });
    expect(labels).toEqual([]);
    expect(await ensurePullRequest(repository, change)).toMatchObject({ done: 'created' });
  });

  test('receives its new text even if the search does not find it yet', async () => {
    open = pullRequest('old');
    const late = { ...repository, findPullRequests: () => Promise.resolve([]) } as ScmRepository;
    expect(await ensurePullRequest(late, { ...wanted, known: 7 })).toMatchObject({
      done: 'updated',
      pullRequest: { title: wanted.title },
    });
  });
});
