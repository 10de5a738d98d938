import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Environments, findCycle } from './order.js';
import { d1, d2, environment } from './testing/builders.js';

describe('findCycle', () => {
  it('names the branches of a cycle', () => {
    expect(
      findCycle([
        { branch: 'a', dependsOn: ['c'] },
        { branch: 'b', dependsOn: ['a'] },
        { branch: 'c', dependsOn: ['b'] },
      ]),
    ).toEqual(['a', 'c', 'b', 'a']);
  });

  it('finds no cycle when every environment depends only on earlier ones', () => {
    const graph = fc.array(fc.array(fc.nat(9), { maxLength: 3 }), { maxLength: 10 }).map((lists) =>
      lists.map((dependencies, n) => ({
        branch: `e${n}`,
        dependsOn: n === 0 ? [] : dependencies.map((d) => `e${d % n}`),
      })),
    );
    fc.assert(fc.property(graph, (environments) => findCycle(environments) === undefined));
  });
});

describe('activeDrySHA', () => {
  it('returns a dry commit that changed nothing once the preceding environments run it', () => {
    const test = environment('test', d1, d1, { dependsOn: ['dev'], unchangedBy: [d2] });
    const before = new Environments([environment('dev', d1, d2), test]);
    const later = new Environments([environment('dev', d2, d2), test]);
    expect(before.activeDrySHA(test)).toBe(d1);
    expect(later.activeDrySHA(test)).toBe(d2);
  });
});

describe('runs', () => {
  it('reads each environment once, although many paths lead to it', () => {
    let reads = 0;
    const layers = Array.from({ length: 12 }, (_, layer) => [`a${layer}`, `b${layer}`]);
    const all = layers.flatMap((branches, layer) =>
      branches.map((branch) => {
        const more = { unchangedBy: [d2] };
        return Object.defineProperty(environment(branch, d1, d1, more), 'dependsOn', {
          get: () => (reads++, layers[layer - 1] ?? []),
        });
      }),
    );
    const environments = new Environments(all);
    expect(all.every((one) => environments.runs(one, d2))).toBe(true);
    expect(reads).toBe(all.length);
  });

  it('ends for environments that depend on each other, which are read before they are refused', () => {
    const dev = environment('dev', d1, d1, { dependsOn: ['prod'], unchangedBy: [d2] });
    const prod = environment('prod', d1, d1, { dependsOn: ['dev'], unchangedBy: [d2] });
    expect(new Environments([dev, prod]).activeDrySHA(prod)).toBe(d1);
  });
});

describe('dependentsOf', () => {
  it('follows the graph, and never contains the environment itself', () => {
    const a = environment('a', d1, d1);
    const b = environment('b', d1, d1, { dependsOn: ['a'] });
    const c = environment('c', d1, d1, { dependsOn: ['a'] });
    const d = environment('d', d1, d1, { dependsOn: ['b', 'c'] });
    const environments = new Environments([a, b, c, d]);
    expect(environments.dependentsOf(a).map((one) => one.branch)).toEqual(['b', 'd', 'c']);
    expect(environments.dependentsOf(d)).toEqual([]);
  });
});
