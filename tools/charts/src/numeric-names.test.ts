import { expect, it } from '@jest/globals';
import { parseManifests } from './manifest.js';
import { runnerCharts } from './render.js';
import { apps, describeWithHelm, kubeVersion, useWorkshop, type Values } from './testing/workshop.js';

const workshop = useWorkshop();

const required: Record<string, Values> = {
  agc: { githubUrl: 'https://github.com/my-org', githubAppSecret: '1' },
  'egress-proxy': { allowedHosts: ['github.com'] },
  gmc: { tenantImages: { requireDigests: false } },
};

/** Returns all values of the fields `namespace` in an object. */
function namespacesIn(object: unknown): unknown[] {
  const found: unknown[] = [];
  JSON.stringify(object, (key, value: unknown) => {
    if (key === 'namespace') found.push(value);
    return value;
  });
  return found;
}

describeWithHelm('a namespace whose name is a number', () => {
  it.each([...apps, ...runnerCharts])('is text in the objects of the chart %s', async (chart) => {
    const args = ['template', '1', `charts/${chart}`, '--namespace=4711', `--kube-version=${kubeVersion}`];
    const text = await workshop.helm.output([...args, '--values=-'], JSON.stringify(required[chart] ?? {}));
    const namespaces = namespacesIn(parseManifests(text));
    expect(namespaces).toContain('4711');
    expect(namespaces.filter((namespace) => typeof namespace !== 'string')).toEqual([]);
  });
});
