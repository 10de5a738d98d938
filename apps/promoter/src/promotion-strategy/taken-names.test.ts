import { describe, expect, it } from '@jest/globals';
import { PromotionStrategy, ProposedCommit } from '@interlock/api';
import { controllerReference } from '@interlock/kube';
import { buildObject, MemoryCache } from '@interlock/kube/testing';
import fc from 'fast-check';
import { main } from '../promotion/testing/builders.js';
import { promotionStrategy, proposedCommit } from '../testing/objects.js';
import { decideStrategy } from './decide.js';
import { othersOf } from './observe.js';
import { childrenOfOthers } from './taken-names.js';

const strategy = (name: string, branch: string, uid = `uid-of-${name}`): PromotionStrategy =>
  promotionStrategy({ metadata: { name, uid }, spec: { environments: [{ branch, autoMerge: true }] } });

function decide(one: PromotionStrategy, children: readonly ProposedCommit[], ...all: PromotionStrategy[]) {
  const others = childrenOfOthers(one, children, all);
  const nothing = { environments: [], dryBranch: main(), siblings: [], children: [], reverts: [] };
  return decideStrategy({ strategy: one, others, ...nothing }, 0);
}

describe('two strategies whose children would have the same name', () => {
  const [first, second] = [strategy('shop', 'eu-prod'), strategy('shop-eu', 'prod')];
  const [child] = decide(first, [], first).proposedCommits.map((one) => buildObject(ProposedCommit, one));
  const children = child === undefined ? [] : [child];

  it('do not take the child from each other: the second is stalled, and names the first', () => {
    expect(decide(second, [], second).proposedCommits[0]?.metadata.name).toBe(child?.metadata.name);
    const { proposedCommits, commitStatuses, status, requeueAfterMs } = decide(
      second,
      children,
      first,
      second,
    );
    expect([proposedCommits, commitStatuses]).toEqual([[], []]);
    expect(status.conditions?.find(({ type }) => type === 'Stalled')).toMatchObject({
      reason: 'ChildNameInUse',
      message: expect.stringContaining('belongs to PromotionStrategy shop for eu-prod'),
    });
    expect(requeueAfterMs).toBe(60_000);
  });

  it('do not affect the first, nor a strategy that replaces a deleted one of the same name', () => {
    expect(decide(first, children, first, second).proposedCommits).toHaveLength(1);
    const again = strategy('shop', 'eu-prod', 'another');
    expect(decide(again, children, again).proposedCommits).toHaveLength(1);
  });

  it('do not stall each other, although each has a child that the other needs: the older one continues', () => {
    const of = (name: string, ...branches: string[]) =>
      promotionStrategy({
        metadata: { name, uid: `uid-of-${name}` },
        spec: { environments: branches.map((branch) => ({ branch, autoMerge: true })) },
      });
    const [older, newer] = [of('shop', 'eu-prod', 'eu-qa'), of('shop-eu', 'prod', 'qa')];
    const [first, second] = [older, newer].map((one) =>
      decide(one, [], one).proposedCommits.map((metadata) => buildObject(ProposedCommit, metadata)),
    );
    const mixed = [first![0]!, second![1]!];
    expect(decide(older, mixed, older, newer).proposedCommits).toHaveLength(2);
    expect(decide(newer, mixed, older, newer).proposedCommits).toEqual([]);
  });
});

describe('the children of others, found by name', () => {
  const all = [
    strategy('shop', 'eu-prod'),
    strategy('shop-eu', 'prod'),
    strategy('shop-eu-prod', 'x'),
    promotionStrategy({
      metadata: { name: 'web', uid: 'uid-of-web', deletionTimestamp: '2026-01-01T00:00:00Z' },
    }),
  ];
  const names = ['shop-eu-prod', 'shop-eu-prod-x', 'web-dev'];

  it('are those among all ProposedCommits of the namespace', () => {
    const owners = fc.array(fc.option(fc.constantFrom(...all, strategy('shop', 'x', 'gone'))), {
      minLength: names.length,
      maxLength: names.length,
    });
    const check = (drawn: (PromotionStrategy | null)[]): void => {
      const children = names.map((name, index) => {
        const owner = drawn[index];
        return proposedCommit({
          metadata: { name, ownerReferences: owner ? [controllerReference(owner)] : [] },
        });
      });
      const caches = {
        proposedCommits: new MemoryCache(ProposedCommit, ...children),
        strategies: new MemoryCache(PromotionStrategy, ...all),
      };
      for (const one of all) {
        const own = children.filter((child) => child.metadata.ownerReferences?.[0]?.uid === one.metadata.uid);
        expect(othersOf(caches, one, own)).toEqual(childrenOfOthers(one, children, all));
      }
    };
    fc.assert(fc.property(owners, check));
  });
});
