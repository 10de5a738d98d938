import { describe, expect, it } from '@jest/globals';
import {
  ancestry,
  commit,
  d1,
  d2,
  d3,
  environment,
  finding,
  linear,
  main,
  sha,
} from '../promotion/testing/builders.js';
import { promotionStrategy } from '../testing/objects.js';
import { chooseProposals, inFlight, isStuck, latestActive } from './in-flight.js';
import type { StrategyEnvironment } from './observed.js';

const dev = environment('dev', d2, d3);
const prod = environment('prod', d1, d3, { dependsOn: ['dev'] });

describe('the commit in flight', () => {
  it.each([
    ['the newest commit that has not arrived everywhere', [dev, prod], d2],
    ['nothing, when all environments run the same commit', [environment('dev', d1, d3), prod], undefined],
    [
      'nothing, when the commit changes nothing in the other environments',
      [dev, { ...prod, unchangedBy: [d2] }],
      undefined,
    ],
    [
      'nothing, when the commit fails where it has arrived',
      [{ ...dev, activeStatuses: [finding('health', 'failure')] }, prod],
      undefined,
    ],
    [
      'the same commit, when another commit fails elsewhere',
      [dev, { ...prod, activeStatuses: [finding('health', 'failure')] }],
      d2,
    ],
    [
      'nothing, when the commit is being reverted',
      [{ ...dev, reverts: [{ name: 'back', merged: false, rejectedDrySHA: d2 }] }, prod],
      undefined,
    ],
  ])('is %s', (_, environments, expected) => {
    expect(inFlight(environments, ancestry)).toBe(expected);
  });

  it('is not a commit that git cannot order', () => {
    expect(inFlight([dev, environment('prod', sha('ee'), d3)], linear(d1, d2))).toBe(undefined);
  });
});

describe('the commit in flight is stuck', () => {
  const strategy = (more: Partial<StrategyEnvironment>): StrategyEnvironment[] => [
    { ...dev, proposedStatuses: [], history: [], deployments: [] },
    { ...prod, proposedStatuses: [], history: [], deployments: [], ...more },
  ];
  const proposed = (drySHA: string) => ({ proposed: commit('b1', drySHA) });

  it.each([
    ['not while it is proposed', proposed(d2), false],
    ['not while it has yet to be hydrated', proposed(d1), false],
    ['when a newer commit was hydrated instead', proposed(d3), true],
    [
      'when one of its checks fails',
      { ...proposed(d2), proposedStatuses: [finding('lint', 'failure')] },
      true,
    ],
    ['not when it changes nothing there', { ...proposed(d3), unchangedBy: [d2] }, false],
  ] as const)('%s', (_, more, expected) => {
    expect(isStuck(strategy(more), d2, [], ancestry)).toBe(expected);
  });
});

describe('the newest active dry commit', () => {
  it.each([
    ['is the commit that follows all others', [dev, prod], d2],
    [
      'counts as active in environments in which it changes nothing',
      [{ ...dev, unchangedBy: [d3] }, prod],
      d3,
    ],
    ['is not known of commits that git cannot order', [dev, environment('prod', sha('ee'), d3)], undefined],
    ['is not known where nothing runs', [], undefined],
  ])('%s', (_, environments, expected) => {
    expect(latestActive(environments, ancestry)).toBe(expected);
  });
});

describe('the proposal', () => {
  const reads = { proposedStatuses: [], history: [], deployments: [] };
  const tips: StrategyEnvironment[] = [
    { ...dev, ...reads, pinned: sha('b3') },
    { ...prod, ...reads, pinned: sha('b3') },
  ];
  const prodWith = (more: Partial<StrategyEnvironment> = {}): StrategyEnvironment[] => [
    { ...prod, ...reads, proposed: commit('b2', d2), pinned: sha('b2'), ...more },
  ];

  function choose(
    withLatest: readonly StrategyEnvironment[] | undefined,
    environments = tips,
    overtakenDrySHA?: string,
  ) {
    const strategy = promotionStrategy({
      spec: { promotionPolicy: 'FinishInFlight', environments: [] },
      status: overtakenDrySHA === undefined ? undefined : { overtakenDrySHA },
    });
    const observed = { strategy, children: [], dryBranch: main(), withLatest };
    const proposals = chooseProposals(observed, environments);
    const pinned = proposals.environments.map((one) => one.pinned?.slice(0, 2));
    const held = proposals.environments.map((one) => one.inFlight);
    return { pinned, held, overtaken: proposals.overtaken };
  }

  const nothing = { held: [undefined, undefined], overtaken: undefined };

  it('is the commit in flight in environments that it has not reached, and elsewhere the tip, which waits for it', () => {
    expect(choose(prodWith())).toEqual({ pinned: ['b3', 'b2'], held: [d2, d2], overtaken: undefined });
  });

  it('is the tip if the commit in flight is not hydrated', () => {
    expect(choose([])).toMatchObject({ pinned: ['b3', 'b3'], overtaken: d2 });
    const late = tips.map((one) => ({ ...one, proposed: commit('b1', d1) }));
    expect(choose([], late)).toEqual({ pinned: ['b3', 'b3'], held: [d2, d2], overtaken: undefined });
  });

  it('is the tip everywhere when no commit is in flight', () => {
    expect(choose(undefined)).toEqual({ pinned: ['b3', 'b3'], ...nothing });
  });

  it('is the tip everywhere when the commit in flight fails', () => {
    const failing = tips.map((one) => ({ ...one, activeStatuses: [finding('health', 'failure')] }));
    expect(choose(prodWith(), failing)).toEqual({ pinned: ['b3', 'b3'], ...nothing });
  });

  it('is the tip everywhere when a check of the commit in flight fails, and remains so', () => {
    const stuck = prodWith({ proposedStatuses: [finding('lint', 'failure')] });
    const overtaken = { pinned: ['b3', 'b3'], held: [undefined, undefined], overtaken: d2 };
    expect(choose(stuck)).toEqual(overtaken);
    expect(choose(prodWith(), tips, d2)).toEqual(overtaken);
  });
});
