import { expect, it } from '@jest/globals';
import { TypedError } from '@interlock/api';
import type { Commit, HistoryReader } from '@interlock/git';
import { noDrift } from '../promotion/model.js';
import { commit, d1, d2, sha } from '../promotion/testing/builders.js';
import { findSubject } from './subject.js';
import { revertCommit } from './testing/builders.js';

const user = { name: 'Ada', email: 'ada@example.com', date: '2024-05-01T10:00:00Z' };
/* The line of the environment branch: a1 runs d2, and a0 ran d1. */
const line = [sha('a1'), sha('a0')];

const stored = (id: string, tree: string): Commit => ({
  sha: id,
  tree: sha(tree),
  parents: [],
  author: user,
  committer: user,
  subject: 'text',
  body: '',
  trailers: {},
});

const mirror: HistoryReader = {
  commit: (id) =>
    line.includes(id)
      ? Promise.resolve(stored(id, id === line[0] ? 'e2' : 'e1'))
      : Promise.reject(new TypedError('NotFound', `no ${id}`)),
  firstParents: () => Promise.resolve(line),
  file: (id) => Promise.resolve(Buffer.from(JSON.stringify({ drySha: id === line[0] ? d2 : d1 }))),
  note: () => Promise.resolve(undefined),
  isAncestor: (one, other) => Promise.resolve(line.includes(one) && line.indexOf(one) >= line.indexOf(other)),
  whole: (_, tree) => Promise.resolve(tree),
};

it('reverts to a healthy dry commit although the branch was reset, and contains it with another commit now', async () => {
  const lost = { sha: d1, time: user.date, hydratedSHA: sha('ff'), treeSHA: sha('e1') };
  const facts = { branch: 'test', proposedBranch: 'test-next', unchangedBy: [], contained: true, ...noDrift };
  const sources = {
    mirror,
    refs: new Map(),
    facts,
    active: commit('a1', d2, 'e2'),
    healthy: [lost],
    taken: [],
  };
  const rejected = { revertOf: sha('a1'), rejectedDrySHA: d2 };
  const target = { drySHA: d1, hydratedSHA: sha('a0'), treeSHA: sha('e1') };
  for (const spec of [{}, { drySHA: d1 }])
    expect(await findSubject(revertCommit(spec), rejected, sources)).toMatchObject({ target });
});
