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
  sha,
} from '../promotion/testing/builders.js';
import { inFlight, isStuck } from './in-flight.js';
import type { StrategyEnvironment } from './observed.js';

const dev = environment('dev', d2, d3);
const prod = environment('prod', d1, d3, { dependsOn: ['dev'] });

describe('what is on its way', () => {
  it.each([
    ['the newest that is not everywhere', [dev, prod], d2],
    ['nothing, when all run the same', [environment('dev', d1, d3), prod], undefined],
    ['nothing, when it changes nothing in the others', [dev, { ...prod, unchangedBy: [d2] }], undefined],
    [
      'nothing, when it fails where it has arrived',
      [{ ...dev, activeStatuses: [finding('health', 'failure')] }, prod],
      undefined,
    ],
    [
      'it still, when another commit fails elsewhere',
      [dev, { ...prod, activeStatuses: [finding('health', 'failure')] }],
      d2,
    ],
    [
      'nothing, when it is taken back',
      [{ ...dev, reverts: [{ name: 'back', merged: false, rejectedDrySHA: d2 }] }, prod],
      undefined,
    ],
  ])('is %s', (_, environments, expected) => {
    expect(inFlight(environments, ancestry)).toBe(expected);
  });

  it('is nothing that git cannot order', () => {
    expect(inFlight([dev, environment('prod', sha('ee'), d3)], linear(d1, d2))).toBe(undefined);
  });
});

describe('what is on its way is stuck', () => {
  const strategy = (more: Partial<StrategyEnvironment>): StrategyEnvironment[] => [
    { ...dev, proposedStatuses: [], history: [], deployments: [] },
    { ...prod, proposedStatuses: [], history: [], deployments: [], ...more },
  ];
  const proposed = (drySHA: string) => ({ proposed: commit('b1', drySHA) });

  it.each([
    ['not while it is proposed', proposed(d2), false],
    ['not while it has yet to be hydrated', proposed(d1), false],
    ['when a newer one was hydrated instead', proposed(d3), true],
    ['when a check of it fails', { ...proposed(d2), proposedStatuses: [finding('lint', 'failure')] }, true],
    ['not when it changes nothing there', { ...proposed(d3), unchangedBy: [d2] }, false],
  ] as const)('%s', (_, more, expected) => {
    expect(isStuck(strategy(more), d2, [], ancestry)).toBe(expected);
  });
});
