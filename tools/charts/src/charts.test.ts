import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { parse } from 'yaml';
import {
  apps,
  charts,
  describeWithHelm,
  kubeVersion,
  root,
  useWorkshop,
  type Manifest,
} from './testing/workshop.js';

const workshop = useWorkshop();

const crds = readdirSync(join(root, 'charts/interlock-crds/crds')).map(
  (file) => parse(readFileSync(join(root, 'charts/interlock-crds/crds', file), 'utf8')) as Manifest,
);
const identities = (manifests: readonly Manifest[]): string[] =>
  manifests.map(({ kind, metadata }) => `${kind}/${metadata.name}`).sort();

describeWithHelm.each(charts)('%s', (chart) => {
  it('passes helm lint', async () => {
    expect(await workshop.helm.output(['lint', '--strict', `charts/${chart}`])).toContain(
      '0 chart(s) failed',
    );
  });

  it('renders the same objects as a package', async () => {
    const rendering = ['--kube-version', kubeVersion, '--values', '-'];
    await workshop.helm.output(['package', `charts/${chart}`, '--destination', 'packages']);
    const packaged = await workshop.helm.output([
      'template',
      'demo',
      `packages/${chart}-0.1.0.tgz`,
      ...rendering,
    ]);
    expect(packaged).toBe(await workshop.helm.output(['template', 'demo', `charts/${chart}`, ...rendering]));
    expect(packaged).toContain('kind: ');
  });

  it('refuses a Kubernetes version that is too old', async () => {
    const { error } = await workshop.helm.run(['template', `charts/${chart}`, '--kube-version', '1.29.9']);
    expect(error).toContain('chart requires kubeVersion: >=1.30.0-0');
  });
});

describeWithHelm('interlock-crds', () => {
  it('has the generated definitions, with annotations so that Helm and Argo CD keep them', async () => {
    const expected = crds.map(({ metadata, ...rest }) => ({
      ...rest,
      metadata: {
        ...metadata,
        annotations: {
          'helm.sh/resource-policy': 'keep',
          'argocd.argoproj.io/sync-options': 'Prune=false',
        },
      },
    }));
    expect(await workshop.render('interlock-crds')).toEqual(expect.arrayContaining(expected));
    expect(await workshop.render('interlock-crds')).toHaveLength(expected.length);
  });

  it('can omit the definitions of ugallu', async () => {
    const left = identities(await workshop.render('interlock-crds', { security: false }));
    const all = identities(await workshop.render('interlock-crds'));
    expect(all.filter((id) => !left.includes(id))).toEqual([
      'CustomResourceDefinition/eventresponses.security.ugallu.io',
      'CustomResourceDefinition/securityevents.security.ugallu.io',
    ]);
    expect(left).toContain('CustomResourceDefinition/gitopsresponderconfigs.security.ugallu.io');
  });
});

describeWithHelm('interlock', () => {
  const rendered = async (left: readonly string[]): Promise<string[]> =>
    identities(
      await workshop.render('interlock', {
        'gitops-responder': { enabled: true },
        ...Object.fromEntries(left.map((name) => [name, { enabled: false }])),
      }),
    );

  it('contains all other charts', async () => {
    const parts = await Promise.all(
      [...apps, 'interlock-crds' as const].map((chart) => workshop.render(chart)),
    );
    expect(await rendered([])).toEqual(identities(parts.flat()));
  });

  it('contains the responder only if it is enabled', async () => {
    const byDefault = identities(await workshop.render('interlock'));
    expect(byDefault).toEqual(await rendered(['gitops-responder']));
  });

  it.each([...apps, 'interlock-crds' as const])('can omit %s', async (chart) => {
    const without = identities(await workshop.render(chart));
    expect(await rendered([chart])).toEqual((await rendered([])).filter((id) => !without.includes(id)));
  });
});
