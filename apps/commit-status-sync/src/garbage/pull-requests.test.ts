import { expect, it } from '@jest/globals';
import { GitRepository, PullRequest, typeMeta, type ObjectMeta } from '@interlock/api';
import { MemoryCache } from '@interlock/kube/testing';
import { PullRequestsByRepository } from './pull-requests.js';

const namespace = 'team';
const shop = { namespace, name: 'shop' };
const base = { namespace, name: 'base' };

function pullRequest(name: string, repository?: string, of = namespace): PullRequest {
  return {
    ...typeMeta(PullRequest),
    metadata: { namespace: of, name },
    spec: {
      title: 'Promote',
      state: 'open',
      sourceBranch: 'dev-next',
      targetBranch: 'dev',
      ...(repository !== undefined && { repoRef: { name: repository } }),
    },
  };
}

const repository = (metadata: ObjectMeta): GitRepository => ({
  ...typeMeta(GitRepository),
  metadata,
  spec: { scmProviderRef: { kind: 'ScmProvider', name: 'scm' } },
});

const [ofShop, ofBase, ofAny] = [pullRequest('a', 'shop'), pullRequest('b', 'base'), pullRequest('c')];
const cache = new MemoryCache(PullRequest);
const repositories = new MemoryCache(GitRepository, repository(shop), repository(base));
const known = new PullRequestsByRepository(cache, repositories);
for (const one of [ofShop, ofBase, ofAny, pullRequest('d', 'shop', 'other')]) cache.set(one);

it('returns the pull requests of one repository, and those that do not name theirs', () => {
  expect(known.of(shop)).toEqual([ofShop, ofAny]);
  expect(known.of({ namespace: 'other', name: 'shop' })).toHaveLength(1);
});

it('concerns only the repository that a pull request names, and without a name each of the namespace', () => {
  expect(known.repositoriesOf(ofBase)).toEqual([base]);
  expect(known.repositoriesOf(ofAny)).toEqual([shop, base]);
});
