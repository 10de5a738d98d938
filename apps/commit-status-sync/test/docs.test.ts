import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  apiVersionOf,
  ArgoCDCommitStatus,
  CommitStatus,
  FluxCommitStatus,
  PromotionStrategy,
  TimedCommitStatus,
  type Kind,
  type KubeObject,
} from '@interlock/api';
import { labelValue } from '@interlock/kube';
import { ensureNamespace, repositoryName } from '@interlock/stack';
import { parse } from 'yaml';
import { Application } from '../src/argocd/application.js';
import { FluxGitRepository, Kustomization } from '../src/flux/objects.js';
import { settleMs } from '../src/sources/settle.js';
import { argoKinds, fluxKinds } from './harness/foreign-kinds.js';
import type { StrategyTeam } from './harness/strategy-team.js';
import { useFixture } from './harness/fixture.js';

const kinds: readonly Kind<KubeObject>[] = [
  CommitStatus,
  PromotionStrategy,
  ArgoCDCommitStatus,
  FluxCommitStatus,
  TimedCommitStatus,
];
const page = readFileSync(new URL('../../../docs/commit-status-sync.md', import.meta.url), 'utf8');
const examples = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].map(
  ([, text = '']) => parse(text) as KubeObject & { spec: Record<string, unknown> },
);
const branch = 'environments/dev';
const labels = { app: 'shop' };

const fixture = useFixture({ kinds: [...argoKinds, ...fluxKinds] });

beforeAll(async () => {
  for (const namespace of ['argocd', 'flux-system']) await ensureNamespace(fixture.client, namespace);
});

/** Applies an example, with the name of the repository of the harness. */
async function applyExample(team: StrategyTeam, wanted: Kind<KubeObject>): Promise<void> {
  const example = examples.find(({ kind }) => kind === wanted.kind);
  if (example === undefined) throw new Error(`no example of ${wanted.kind}`);
  const { metadata, spec } = example;
  await team.apply(wanted, metadata.name, {
    ...(metadata.labels && { labels: metadata.labels }),
    spec: { ...spec, ...('repoRef' in spec && { repoRef: { name: repositoryName } }) },
  });
}

describe('docs/commit-status-sync.md', () => {
  it('contains one example of each kind', () => {
    expect(examples.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`).sort()).toEqual(
      kinds.map((kind) => `${apiVersionOf(kind)} ${kind.kind}`).sort(),
    );
  });

  it('contains examples that have the documented effect', async () => {
    const team = await fixture.strategyTeam(branch);
    const commit = await team.commit();
    for (const kind of kinds) await applyExample(team, kind);
    await team.activate({ [branch]: commit });
    const at = { client: fixture.client, repoURL: team.repository.cloneUrl };
    await at.client.apply(
      Application,
      {
        metadata: { name: 'web', namespace: 'argocd', labels },
        spec: { source: { repoURL: at.repoURL, targetRevision: branch } },
        status: { health: { status: 'Healthy' }, sync: { status: 'Synced', revision: commit } },
      },
      { fieldManager: 'argocd' },
    );
    const flux = { fieldManager: 'flux' };
    const inFlux = { namespace: 'flux-system' };
    const spec = { url: at.repoURL, ref: { branch } };
    await at.client.apply(FluxGitRepository, { metadata: { ...inFlux, name: 'shop' }, spec }, flux);
    const sourceRef = { kind: 'GitRepository', name: 'shop' };
    const metadata = { ...inFlux, name: 'shop' };
    await at.client.apply(Kustomization, { metadata: { ...metadata, labels }, spec: { sourceRef } }, flux);
    const status = {
      observedGeneration: 1,
      conditions: [{ type: 'Ready', status: 'True', reason: 'ReconciliationSucceeded', message: '' }],
      lastAppliedRevision: `${branch}@sha1:${commit}`,
    };
    await at.client.apply(Kustomization, { metadata, status }, { ...flux, subresource: 'status' });

    for (const kind of [ArgoCDCommitStatus, FluxCommitStatus]) {
      await team.observes(kind, { [branch]: 'success', 'environments/prod': 'in_progress' });
    }
    await fixture.forward(settleMs);
    const shown = labelValue(branch);
    const health = await team.says('argocd-health', { [shown]: [commit, 'success'] });
    expect(health[shown]?.spec.url).toBe('https://argocd.example.com/applications/argocd/web');
    await team.says('flux-health', { [shown]: [commit, 'success'] });
    await fixture.forward(30 * 60_000);
    await team.says('timer', { [shown]: [commit, 'success'] });
  });
});
