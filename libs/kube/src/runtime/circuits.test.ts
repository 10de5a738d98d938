import { describe, expect, it } from '@jest/globals';
import { Circuits } from './circuits.js';

const flow = { tenant: 'team', host: 'forge.example' };

function opened(): Circuits {
  const circuits = new Circuits();
  for (let n = 0; n < 3; n++) circuits.fail(flow, 0);
  return circuits;
}

describe('a circuit', () => {
  it('opens at the third consecutive failure', () => {
    const circuits = new Circuits();
    circuits.fail(flow, 0);
    circuits.fail(flow, 0);
    expect(circuits.waitMs(flow, 0)).toBe(0);
    circuits.fail(flow, 0);
    expect(circuits.waitMs(flow, 0)).toBe(30_000);
    expect(circuits.waitMs(flow, 29_999)).toBe(1);
  });

  it('lets one attempt through after its delay, and closes when the attempt succeeds', () => {
    const circuits = opened();
    expect(circuits.waitMs(flow, 30_000)).toBe(0);
    circuits.begin(flow);
    expect(circuits.waitMs(flow, 30_000)).toBe(30_000);
    circuits.succeed(flow);
    expect(circuits.waitMs(flow, 30_000)).toBe(0);
  });

  it('stays open twice as long after each further failure, up to two minutes', () => {
    const circuits = opened();
    const waits = [60_000, 120_000, 120_000].map(() => {
      circuits.begin(flow);
      circuits.fail(flow, 0);
      return circuits.waitMs(flow, 0);
    });
    expect(waits).toEqual([60_000, 120_000, 120_000]);
  });

  it('applies to one namespace and one host', () => {
    const circuits = opened();
    expect(circuits.waitMs({ ...flow, tenant: 'other' }, 0)).toBe(0);
    expect(circuits.waitMs({ ...flow, host: 'other.example' }, 0)).toBe(0);
  });

  it('never opens for work whose host is not known', () => {
    const circuits = new Circuits();
    for (let n = 0; n < 9; n++) circuits.fail({ tenant: 'team' }, 0);
    expect(circuits.waitMs({ tenant: 'team' }, 0)).toBe(0);
  });
});
