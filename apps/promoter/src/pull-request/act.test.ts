import { expect, it } from '@jest/globals';
import { CommitStatus, ProposedCommit, timestampOf, type Kind, type PullRequest } from '@interlock/api';
import { KeyedLock } from '@interlock/base';
import { FakeClock, recordLog } from '@interlock/base/testing';
import type { Commit } from '@interlock/git';
import { controllerReference, type ActContext } from '@interlock/kube';
import type { ScmRepository } from '@interlock/scm';
import { commitStatus, d1, d2, sha } from '../promotion/testing/builders.js';
import { proposedCommit } from '../testing/objects.js';
import { actOnPullRequest } from './act.js';
import { head, info, observed, open, pullRequest, url } from './testing/builders.js';

const user = { name: 'Ada', email: 'ada@example.com', date: '2024-05-01T10:00:00Z' };
const tip = sha('b1');
const minute = 60_000;

const stored = (id: string): Commit => ({
  sha: id,
  tree: id === head ? sha('e2') : sha('e1'),
  parents: id === head ? [tip] : [],
  author: user,
  committer: user,
  subject: 'text',
  body: '',
  trailers: {},
});

/** A repository in which the proposed commit `head` is on top of the environment. */
const mirror = {
  at: () => mirror,
  commit: (id: string) => Promise.resolve(stored(id)),
  firstParents: (id: string) => Promise.resolve(id === head ? [head, tip] : [tip]),
  file: (id: string) => Promise.resolve(Buffer.from(JSON.stringify({ drySha: id === head ? d2 : d1 }))),
  note: () => Promise.resolve(undefined),
  isAncestor: (one: string, other: string) => Promise.resolve(one === tip || one === other),
  whole: (_: string, tree: string) => Promise.resolve(tree),
  mergeTree: () => Promise.resolve({ clean: true, related: true, tree: sha('e2') }),
};
const refs = new Map([
  ['refs/heads/dev', tip],
  ['refs/heads/dev-next', head],
]);

it.each([
  ['merges while a check is successful', 2 * minute, true],
  ['does not merge if the success of a check ended while the repository was read', minute, false],
])('%s', async (_, validForMs, merges) => {
  const clock = new FakeClock();
  const begun = clock.now();
  const owner = proposedCommit({ spec: { commitStatuses: { proposed: [{ key: 'lint' }] } } });
  const required = { merge: { sha: head, message: 'm', method: 'merge' } } as const;
  const object = pullRequest({ spec: required, status: open });
  object.metadata.ownerReferences = [controllerReference(owner)];
  const lint = commitStatus('lint', 'lint', head, 'success');
  lint.spec.validUntil = timestampOf(begun + validForMs);
  const client = {
    get: (kind: Kind) => Promise.resolve(kind === ProposedCommit ? owner : object),
    list: (kind: Kind) => Promise.resolve({ items: kind === CommitStatus ? [lint] : [] }),
  };
  let state: 'open' | 'merged' = 'open';
  const scm = {
    webUrl: () => url,
    getPullRequest: () => Promise.resolve(info({ state })),
    mergePullRequest: () => {
      state = 'merged';
      return Promise.resolve({ sha: sha('c1') });
    },
  };
  const repositories = {
    refresh: async () => {
      await clock.advance(minute);
      return { scm, plugin: 'github', mirror, refs, requested: new Set() };
    },
  };
  const parts = { manager: { client, clock }, registry: {}, repositories, turns: new KeyedLock() };
  const context = { object, now: begun, signal: new AbortController().signal, log: recordLog() };
  const { problem } = await actOnPullRequest(
    parts as unknown as Parameters<typeof actOnPullRequest>[0],
    { type: 'merge', id: 7, sha: head },
    { ...observed(object), scm: scm as unknown as ScmRepository },
    context as unknown as ActContext<PullRequest>,
  );
  expect(state).toBe(merges ? 'merged' : 'open');
  expect(problem?.message).toEqual(
    merges ? undefined : expect.stringMatching(/^not merged: lint: .*valid until/),
  );
});
