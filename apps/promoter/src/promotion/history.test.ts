import { expect, it } from '@jest/globals';
import { TypedError } from '@interlock/api';
import type { Commit, HistoryReader } from '@interlock/git';
import { history } from './history.js';
import { hydratedCommit } from './hydrated.js';

const sha = (digit: string) => digit.repeat(40);
const [before, proposed, merge, dry, tree] = ['a', 'b', 'c', 'd', 'e'].map(sha);
const person = { name: 'Ada', email: 'ada@example.com', date: '2024-05-01T10:00:00Z' };

const commit = (id: string, parents: string[], trailers: Commit['trailers'] = {}): Commit => ({
  sha: id,
  tree: id === before ? sha('f') : tree!,
  parents,
  author: person,
  committer: person,
  subject: 'text',
  body: '',
  trailers,
});

/** Returns a repository whose tip is the merge commit of a promotion with these trailers. */
function repositoryWith(trailers: Commit['trailers']): HistoryReader {
  const commits = [
    commit(before!, []),
    commit(proposed!, []),
    commit(merge!, [before!, proposed!], { 'Sha-hydrated-proposed': [proposed!], ...trailers }),
  ];
  return {
    commit: (id) => {
      const found = commits.find((one) => one.sha === id);
      return found ? Promise.resolve(found) : Promise.reject(new TypedError('NotFound', `no ${id}`));
    },
    firstParents: () => Promise.resolve([merge!, before!]),
    file: () => Promise.resolve(undefined),
    note: () => Promise.resolve(undefined),
    isAncestor: () => Promise.resolve(false),
    whole: (_, id) => Promise.resolve(id),
  };
}

it('reads the dry commit and the pull request of a promotion from its trailers', async () => {
  const trailers = { 'Sha-dry-proposed': [dry!], 'Pull-request-url': ['https://forge.example.com/1'] };
  const [newest] = await history(repositoryWith(trailers), merge);
  expect(newest).toMatchObject({
    drySHA: dry,
    hydratedSHA: proposed,
    pullRequest: 'https://forge.example.com/1',
  });
});

it('ignores values of trailers that the status cannot hold', async () => {
  const trailers = { 'Sha-dry-proposed': ['abc123'], 'Pull-request-url': ['x'.repeat(3_000)] };
  const repository = repositoryWith(trailers);
  const [newest] = await history(repository, merge);
  expect(newest).toMatchObject({ hydratedSHA: proposed });
  expect(newest).not.toHaveProperty('drySHA');
  expect(newest).not.toHaveProperty('pullRequest');
  expect(await hydratedCommit(repository, new Map(), merge!)).toMatchObject({ drySHA: undefined });
});
