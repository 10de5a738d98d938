import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ruleBudget, ruleCosts } from '@interlock/devcluster';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { charts, root, type Manifest } from './testing/workshop.js';

const shown = 3;

/**
 * Returns the problems if a rule, or all rules together, may cost more than half of the limit of an API server. The
 * margin allows a later change of a limit in the schema.
 */
function excess(crd: Manifest): string[] {
  return ruleCosts(crd).flatMap(({ version, rules, total }) => {
    const isCheap = rules.every(({ cost }) => cost <= ruleBudget.each / 2) && total <= ruleBudget.total / 2;
    if (isCheap) return [];
    const dearest = rules
      .slice(0, shown)
      .map(({ path, cost }) => `${path} costs ${share(cost, ruleBudget.each)}`);
    return [
      `${crd.metadata.name} ${version}: ${dearest.join('; ')}; all rules cost ${share(total, ruleBudget.total)}`,
    ];
  });
}

function share(cost: number, budget: number): string {
  return `${(cost / budget) * 100}% of the budget`;
}

/** Returns a definition with a rule over a list in a list, which costs 5 for each pair of items and 4 for each item. */
function withPairs(maxItems: number, copies = 1): Manifest {
  const field = {
    type: 'array',
    maxItems,
    items: { type: 'integer' },
    'x-kubernetes-validations': [{ rule: 'self.all(a, self.all(b, a != b))' }],
  };
  const properties = Object.fromEntries(Array.from({ length: copies }, (_, n) => [`f${n}`, field]));
  const schema = { openAPIV3Schema: { type: 'object', properties } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'pairs.test.dev' },
    spec: { versions: [{ name: 'v1', schema }] },
  } as unknown as Manifest;
}

describe('the rules of a CustomResourceDefinition', () => {
  const folders = charts.map((chart) => join('charts', chart, 'crds'));
  const files = folders.flatMap((folder) =>
    existsSync(join(root, folder)) ? readdirSync(join(root, folder)).map((name) => join(folder, name)) : [],
  );

  it.each(files)('of %s cost at most half of the limit of an API server', (file) => {
    expect(excess(parse(readFileSync(join(root, file), 'utf8')) as Manifest)).toEqual([]);
  });

  it('are found in the charts', () => {
    expect(files.length).toBeGreaterThan(0);
  });

  it('may cost half of the limit, and are named if they cost more', () => {
    expect(excess(withPairs(998))).toEqual([]);
    expect(excess(withPairs(1000))).toEqual([
      expect.stringMatching(
        /^pairs\.test\.dev v1: properties\[f0\]\S+ costs 50\.\d+% of the budget; all rules/,
      ),
    ]);
  });

  it('are named if they cost more than half of the limit together', () => {
    const [problem, ...others] = excess(withPairs(900, 13));
    expect(problem).toMatch(
      /(properties\[f\d\]\S+ costs 40\.\d+% of the budget; ){3}all rules cost 52\.\d+%/,
    );
    expect(others).toEqual([]);
  });
});
