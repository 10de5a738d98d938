import { TypedError, type ErrorType } from '@interlock/api';
import { describe, expect, test } from '@jest/globals';
import type { ContractFixture, Current, Fault, Lack, Target } from './contract-fixture.js';

const types: Record<Fault, ErrorType> = {
  unauthorized: 'Unauthorized',
  forbidden: 'Unauthorized',
  notFound: 'NotFound',
  invalid: 'Invalid',
  serverError: 'Transient',
  rateLimited: 'RateLimited',
  secondaryLimit: 'RateLimited',
  cut: 'Transient',
};
const faults = Object.keys(types) as Fault[];
const isLimit = (fault: Fault): boolean => fault === 'rateLimited' || fault === 'secondaryLimit';
const head = 'env/dev-next';
const base = 'env/dev';

/** The feature of a plugin that an operation needs. */
const needs: Partial<Record<Target, Lack>> = { commitFiles: 'contents', addComment: 'comments' };

/** Prepares what an operation needs. Returns the operation. */
const operations: Record<Target, (fixture: ContractFixture) => Promise<() => Promise<unknown>>> = {
  async createPullRequest(fixture) {
    await fixture.commit(head);
    await fixture.commit(base);
    return () => fixture.repository.createPullRequest({ head, base, title: 't', body: '' });
  },
  async mergePullRequest(fixture) {
    const { id, headSha } = await open(fixture);
    return () => fixture.repository.mergePullRequest(id, { base, headSha, method: 'merge' });
  },
  async writeStatus(fixture) {
    const sha = await fixture.commit(base);
    return () => fixture.repository.ensureCommitStatus({ sha, name: 'n', phase: 'success' });
  },
  async readPullRequest(fixture) {
    const { id } = await open(fixture);
    return () => fixture.repository.getPullRequest(id);
  },
  async commitFiles(fixture) {
    const sha = await fixture.commit(base);
    const { contents } = fixture.repository;
    const files = [{ path: 'a.txt', contents: Buffer.from('a') }];
    return async () => contents?.commitFiles({ branch: head, onto: { base, sha }, message: 'm', files });
  },
  async addComment(fixture) {
    const { id } = await open(fixture);
    return async () => fixture.repository.ensureComment?.(id, { marker: '<!-- a -->', body: 'b <!-- a -->' });
  },
};

async function open(fixture: ContractFixture): Promise<{ id: number; headSha: string }> {
  await fixture.commit(base);
  const headSha = await fixture.commit(head);
  return { id: await fixture.open(head, base), headSha };
}

export function failureCases(current: Current, lacks: readonly Lack[]): void {
  const limited = !lacks.includes('rateLimits');
  const possible = faults.filter((fault) => limited || !isLimit(fault));
  const targets = (Object.keys(operations) as Target[]).filter((target) => {
    const needed = needs[target];
    return needed === undefined || !lacks.includes(needed);
  });
  describe.each(targets)('a failure of %s', (target) => {
    test.each(possible)('%s is typed, names the repository and does not reveal a secret', async (fault) => {
      const operation = await operations[target](current());
      const { clock, repository, secrets } = current();
      const before = await clock.run(repository.gitCredentials());
      current().inject(target, fault, 10);
      const error: unknown = await clock.run(operation()).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(TypedError);
      expect(error).toMatchObject({ type: types[fault] });
      if (!(error instanceof TypedError)) return;
      if (fault === 'rateLimited') expect(error.retryAfterMs).toBeGreaterThanOrEqual(600_000);
      if (fault === 'secondaryLimit') expect(error.retryAfterMs).toBeGreaterThanOrEqual(60_000);
      if (error.type !== 'RateLimited') expect(error.message).toContain(repository.fullName);
      const shown = `${error.message} ${JSON.stringify(error)}`;
      const after = await clock.run(repository.gitCredentials());
      const passwords = [before, after].flatMap((credentials) => credentials?.password ?? []);
      for (const secret of [...secrets, ...passwords]) expect(shown).not.toContain(secret);
    });
  });

  test('repeats a read after a transient failure', async () => {
    const { id } = await open(current());
    const { clock, repository } = current();
    current().inject('readPullRequest', 'serverError', 2);
    expect(await clock.run(repository.getPullRequest(id))).toMatchObject({ id, state: 'open' });
  });

  if (limited) limitCases(current);
  else {
    test('answers all calls without a pause, because there is no limit', async () => {
      const { id } = await open(current());
      const { clock, repository } = current();
      for (let call = 0; call < 20; call++) {
        expect(await clock.run(repository.getPullRequest(id))).toMatchObject({ id });
      }
    });
  }

  test('rejects an aborted call with the reason of its signal', async () => {
    const { id } = await open(current());
    const { repository } = current();
    const signal = AbortSignal.abort(new Error('stop'));
    await expect(repository.getPullRequest(id, { signal })).rejects.toThrow('stop');
    await expect(repository.closePullRequest(id, { signal })).rejects.toThrow('stop');
    expect(await current().pullRequests()).toMatchObject([{ state: 'open' }]);
  });
}

function limitCases(current: Current): void {
  test('applies a limit that one call reached to the next call, until the limit ends', async () => {
    const { id } = await open(current());
    const { clock, repository } = current();
    current().inject('readPullRequest', 'rateLimited', 1);
    const refused: unknown = await clock.run(repository.getPullRequest(id)).catch((error: unknown) => error);
    expect(refused).toMatchObject({ type: 'RateLimited', retryAfterMs: expect.any(Number) });
    await expect(clock.run(repository.describe())).rejects.toMatchObject({ type: 'RateLimited' });
    if (refused instanceof TypedError) await clock.advance(refused.retryAfterMs ?? 0);
    expect(await clock.run(repository.getPullRequest(id))).toMatchObject({ id });
  });
}
