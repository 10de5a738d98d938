import { describe, expect, it } from '@jest/globals';
import {
  keyOf,
  PromotionStrategy,
  ProposedCommit,
  PullRequest,
  RevertCommit,
  type Kind,
  type KubeObject,
  type ObjectKey,
} from '@interlock/api';
import { hydratorNotesRef, type Mirror } from '@interlock/git';
import { MemoryCache } from '@interlock/kube/testing';
import type { ScmRepository } from '@interlock/scm';
import fc from 'fast-check';
import { createCaches } from '../caches.js';
import { observeStrategy } from '../promotion-strategy/observe.js';
import { observeProposedCommit } from '../proposed-commit/observe.js';
import { observeRevert } from '../revert-commit/observe.js';
import { known, revertCommit } from '../revert-commit/testing/builders.js';
import { promotionStrategy, proposedCommit, pullRequest } from '../testing/objects.js';
import { wakeDependents } from './dependents.js';
import type { RepositoryChange, RepositoryView } from './repositories.js';

const repository = { namespace: 'team', name: 'repo' };

interface Objects {
  strategies?: PromotionStrategy[];
  proposedCommits?: ProposedCommit[];
  reverts?: RevertCommit[];
  pullRequests?: PullRequest[];
}

/** Returns a function that returns the objects that a change wakes, as `<kind> <name>`. */
function waker(objects: Objects): (change: RepositoryChange) => string[] {
  const { strategies = [], proposedCommits = [], reverts = [], pullRequests = [] } = objects;
  const stores: MemoryCache<never>[] = [
    new MemoryCache(PromotionStrategy, ...strategies) as never,
    new MemoryCache(ProposedCommit, ...proposedCommits) as never,
    new MemoryCache(RevertCommit, ...reverts) as never,
    new MemoryCache(PullRequest, ...pullRequests) as never,
  ];
  const cache = (kind: Kind) => stores.find((one) => one.kind.kind === kind.kind) ?? new MemoryCache(kind);
  let found: string[] = [];
  const handle = (kind: Kind) => ({
    enqueue: ({ name }: ObjectKey) => void found.push(`${kind.kind} ${name}`),
  });
  const dependents = {
    strategies: handle(PromotionStrategy),
    proposedCommits: handle(ProposedCommit),
    reverts: handle(RevertCommit),
    pullRequests: handle(PullRequest),
  };
  const caches = createCaches({ cache: cache as never });
  return (change) => {
    found = [];
    wakeDependents(caches, dependents, repository, change);
    return [...new Set(found)].sort();
  };
}

const named = ({ kind }: Kind, object: KubeObject) => `${kind} ${keyOf(object).name}`;

/** Returns the refs that an observation reads. All exist, and each points at a commit of its own without history. */
async function refsRead(observe: (view: RepositoryView) => Promise<unknown>): Promise<string[]> {
  const read = new Set<string>();
  const shas = new Map<string, string>();
  const refs = {
    get(ref: string) {
      read.add(ref);
      if (!shas.has(ref)) shas.set(ref, (shas.size + 1).toString(16).padStart(40, '0'));
      return shas.get(ref);
    },
  } as unknown as ReadonlyMap<string, string>;
  const person = { name: 'A', email: 'a@example.com', date: '2026-01-01T00:00:00Z' };
  const mirror = {
    at: () => mirror,
    commit: (sha: string) =>
      Promise.resolve({
        sha,
        tree: sha,
        parents: [],
        author: person,
        committer: person,
        subject: 's',
        body: '',
        trailers: {},
      }),
    file: () => Promise.resolve(Buffer.from(JSON.stringify({ drySha: 'd'.repeat(40) }))),
    firstParents: (sha: string) => Promise.resolve([sha]),
    isAncestor: () => Promise.resolve(true),
    note: () => Promise.resolve(undefined),
    whole: (_sha: string, tree: string) => Promise.resolve(tree),
    mergeTree: (tree: string) => Promise.resolve({ clean: true, related: true, tree, conflicts: [] }),
  } as unknown as Mirror;
  await observe({ scm: {} as ScmRepository, plugin: 'github', mirror, refs, requested: new Set() });
  return [...read];
}

const branch = fc.constantFrom('main', 'dev', 'prod', 'dev-next', 'interlock/revert/dev-1');
const activePath = fc.constantFrom('x', 'x/y', undefined);
const strategies = fc
  .record({
    dryBranch: branch,
    activePath,
    promotionPolicy: fc.constantFrom('ReleaseLatest' as const, 'FinishInFlight' as const),
    environments: fc.uniqueArray(
      fc.record(
        { branch, autoMerge: fc.constant(true), activePath },
        { requiredKeys: ['branch', 'autoMerge'] },
      ),
      { minLength: 1, maxLength: 3, selector: (one) => one.branch },
    ),
  })
  .map((spec) => promotionStrategy({ spec }));
const proposedCommits = fc
  .record({ activeBranch: branch, proposedBranch: branch, activePath, pinned: fc.boolean() })
  .map(({ pinned, ...spec }) =>
    proposedCommit({ spec: { ...spec, ...(pinned && { proposedSHA: 'e'.repeat(40) }) } }),
  );
const reverts = fc
  .record({ activeBranch: branch, activePath, own: branch, isKnown: fc.boolean() })
  .map(({ activeBranch, activePath: path, own, isKnown }) =>
    revertCommit(
      { activeBranch, drySHA: 'd'.repeat(40), ...(path !== undefined && { activePath: path }) },
      isKnown ? { ...known, branch: own } : { state: 'Pending' },
    ),
  );

describe('a ref that moved', () => {
  const statusesFor = () => [];
  it('wakes each object whose observation reads it', async () => {
    const check = async (
      strategy: PromotionStrategy,
      proposal: ProposedCommit,
      revert: RevertCommit,
    ): Promise<void> => {
      const woken = waker({ strategies: [strategy], proposedCommits: [proposal], reverts: [revert] });
      const observations: [string, (view: RepositoryView) => Promise<unknown>][] = [
        [
          named(PromotionStrategy, strategy),
          (view) =>
            observeStrategy(
              { strategy, children: [], others: [], siblings: [], statusesFor, reverts: [revert] },
              view,
            ),
        ],
        [
          named(ProposedCommit, proposal),
          (view) =>
            observeProposedCommit(
              { proposedCommit: proposal, pullRequest: undefined, statusesFor, reverts: [revert] },
              view,
            ),
        ],
        [
          named(RevertCommit, revert),
          (view) =>
            observeRevert(
              {
                revertCommit: revert,
                pullRequest: undefined,
                strategies: [strategy],
                reverts: [revert],
                statusesFor,
              },
              view,
            ),
        ],
      ];
      for (const [name, observe] of observations) {
        for (const ref of await refsRead(observe)) expect(woken(new Set([ref]))).toContain(name);
      }
    };
    await fc.assert(fc.asyncProperty(strategies, proposedCommits, reverts, check), { numRuns: 100 });
  });

  const apps = Array.from({ length: 50 }, (_, n) => `apps/${n}`);
  const objects = {
    strategies: apps.map((path, n) =>
      promotionStrategy({ metadata: { name: `s${n}` }, spec: { activePath: path } }),
    ),
    proposedCommits: apps.map((path, n) =>
      proposedCommit({
        metadata: { name: `p${n}` },
        spec: { activePath: path, proposedBranch: `dev-next/${path}` },
      }),
    ),
    reverts: apps.map((path, n) => ({
      ...revertCommit({ activeBranch: 'dev', activePath: path }),
      metadata: { name: `r${n}`, namespace: 'team' },
    })),
    pullRequests: apps.map((path, n) =>
      pullRequest({
        metadata: { name: `p${n}` },
        spec: {
          sourceBranch: `dev-next/${path}`,
          ...(n === 5 && { merge: { sha: 'e'.repeat(40), method: 'merge' } }),
        },
        status: { state: 'open' },
      }),
    ),
  };
  const all = (kind: Kind, prefix: string) => apps.map((_, n) => `${kind.kind} ${prefix}${n}`);
  const waiting = 'PullRequest p5';

  it.each<[string, RepositoryChange, string[]]>([
    ['the dry branch', new Set(['refs/heads/main']), [waiting, ...all(PromotionStrategy, 's')]],
    [
      'a proposed branch',
      new Set(['refs/heads/dev-next/apps/7']),
      [waiting, 'PromotionStrategy s7', 'ProposedCommit p7', 'RevertCommit r7'],
    ],
    [
      'an environment branch',
      new Set(['refs/heads/dev']),
      [waiting, ...all(PromotionStrategy, 's'), ...all(ProposedCommit, 'p'), ...all(RevertCommit, 'r')],
    ],
    [
      'the notes of hydrators',
      new Set([hydratorNotesRef]),
      [waiting, ...all(PromotionStrategy, 's'), ...all(ProposedCommit, 'p'), ...all(RevertCommit, 'r')],
    ],
    ['a ref on which nothing depends', new Set(['refs/heads/feature']), [waiting]],
    [
      'more than refs',
      'all',
      [
        ...all(PullRequest, 'p'),
        ...all(PromotionStrategy, 's'),
        ...all(ProposedCommit, 'p'),
        ...all(RevertCommit, 'r'),
      ],
    ],
  ])('wakes no other objects, except pull requests that wait for their merge: %s', (_what, change, names) => {
    expect(waker(objects)(change)).toEqual([...names].sort());
  });
});
