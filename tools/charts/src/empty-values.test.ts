import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { parse } from 'yaml';
import {
  allCharts,
  describeWithHelm,
  only,
  root,
  useWorkshop,
  type Chart,
  type Values,
} from './testing/workshop.js';

const digest = `sha256:${'0'.repeat(64)}`;
/** The values that a chart requires. */
const least: Partial<Record<Chart, Values>> = {
  agc: { githubUrl: 'https://github.com/acme', githubAppSecret: 'github-app' },
  'egress-proxy': { allowedHosts: ['github.com'], networkPolicy: { githubCIDRs: ['192.0.2.0/24'] } },
  gmc: { tenantImages: { agc: { digest }, egressProxy: { digest } } },
};

/** Returns the paths of the values of a chart that a condition selects. */
function pathsOf(values: unknown, isSelected: (value: unknown, path: string[]) => boolean): string[][] {
  const visit = (value: unknown, path: string[]): string[][] => {
    if (isSelected(value, path)) return [path];
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
    return Object.entries(value).flatMap(([key, inner]) => visit(inner, [...path, key]));
  };
  return visit(values, []);
}

/** Returns the values that a chart requires, with another value at a path. */
function withValue(chart: Chart, path: readonly string[], value: unknown): Values {
  const set = (values: Values, [key = '', ...rest]: readonly string[]): Values => {
    const inner = (values[key] ?? {}) as Values;
    return { ...values, [key]: rest.length === 0 ? value : set(inner, rest) };
  };
  return set(least[chart] ?? {}, path);
}

const valuesOf = (chart: Chart): unknown =>
  parse(readFileSync(join(root, 'charts', chart, 'values.yaml'), 'utf8'));

const selected = (isSelected: Parameters<typeof pathsOf>[1]): [Chart, string, string[]][] =>
  allCharts
    .filter((chart) => chart !== 'interlock')
    .flatMap((chart) =>
      pathsOf(valuesOf(chart), isSelected).map((path): [Chart, string, string[]] => [
        chart,
        path.join('.'),
        path,
      ]),
    );

/* Only the umbrella chart uses the value `enabled` of a chart. */
const switches = selected((value, path) => value === true && path.join('.') !== 'enabled');
const restrictions = [...switches, ...selected((_, path) => path.join('.') === 'allowedPorts')];
const ports = selected((_, path) => path.length === 3 && path[2] === 'ports');

describeWithHelm('values without content', () => {
  const workshop = useWorkshop();

  it.each(restrictions)('the chart %s refuses %s if the key has no value', async (chart, _, path) => {
    const rendered = workshop.render(chart, withValue(chart, path, null));
    await expect(rendered).rejects.toThrow(`${path.at(-1) ?? ''} is required`);
  });

  it.each(ports)('the policy of the chart %s allows no connection if %s is empty', async (chart, _, path) => {
    const egressOf = async (values: readonly number[] | null): Promise<{ ports?: object[] }[]> => {
      const manifests = await workshop.render(chart, withValue(chart, path, values));
      const { egress } = only(manifests, 'NetworkPolicy')['spec'] as { egress: { ports?: object[] }[] };
      return egress;
    };
    const rules = await egressOf([]);
    expect(rules).toHaveLength((await egressOf([443])).length - 1);
    expect(rules.every((rule) => (rule.ports ?? []).length > 0)).toBe(true);
    expect(await egressOf(null)).toEqual(rules);
  });
});
