import { describe, expect, it } from '@jest/globals';
import { ancestry, d1, d2, d3, environment, finding, linear, sha } from '../promotion/testing/builders.js';
import { inFlight } from './in-flight.js';

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
