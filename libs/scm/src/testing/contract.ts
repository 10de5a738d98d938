import { describe, expect, test } from '@jest/globals';
import type { ContractHarness, Lack } from './contract-fixture.js';
import { pullRequestCases } from './contract-pull-requests.js';
import { mergeCases } from './contract-merge.js';
import { ruleCases } from './contract-rules.js';
import { statusCases } from './contract-statuses.js';
import { commentCases, reviewerCases } from './contract-reviews.js';
import { contentCases } from './contract-contents.js';
import { commitCases } from './contract-commits.js';
import { failureCases } from './contract-failures.js';
import { useFixture } from './use-fixture.js';

/** Runs the cases that every SCM plugin has to pass. */
export function scmContract(harness: ContractHarness): void {
  describe(`the SCM contract: ${harness.name}`, () => {
    const current = useFixture(harness);
    const has = (part: Lack): boolean => !(harness.lacks?.includes(part) ?? false);
    const absent = (part: 'contents' | 'ensureReviewers' | 'ensureComment'): void =>
      test(`does not implement ${part}`, () => expect(current().repository[part]).toBeUndefined());

    test('describes its login, its URLs, and the credentials for git', async () => {
      const { scm, repository, clock, gitReads } = current();
      expect(await clock.run(scm.login())).not.toBe('');
      expect(await clock.run(repository.describe())).toEqual({ defaultBranch: 'main', archived: false });
      const credentials = await clock.run(repository.gitCredentials());
      expect(await gitReads(repository.cloneUrl, credentials)).toBe(true);
      const open = harness.lacks?.includes('credentials') ?? false;
      expect(credentials === undefined).toBe(open);
      expect(await gitReads(repository.cloneUrl)).toBe(open);
      for (const url of [repository.cloneUrl, repository.webUrl(), repository.webUrl({ commit: 'abc' })]) {
        expect(new URL(url)).toMatchObject({ username: '', password: '' });
      }
      expect(repository.cloneUrl).toContain(repository.fullName);
    });

    describe('pull requests', () => pullRequestCases(current));
    describe('merges', () => mergeCases(current));
    describe('rules of the repository', () => ruleCases(current, harness.lacks ?? []));
    describe('commit statuses', () => statusCases(current));
    describe('contents', () => {
      if (has('contents')) {
        contentCases(current);
        commitCases(current);
      } else absent('contents');
    });
    describe('reviewers', () => (has('reviewers') ? reviewerCases(current) : absent('ensureReviewers')));
    describe('comments', () => (has('comments') ? commentCases(current) : absent('ensureComment')));
    describe('failures', () => failureCases(current, harness.lacks ?? []));
  });
}
