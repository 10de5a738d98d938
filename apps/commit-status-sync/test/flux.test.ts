import { describe, expect, it } from '@jest/globals';
import { FluxCommitStatus } from '@interlock/api';
import { eventually } from '@interlock/kube/testing';
import { FluxGitRepository, HelmRelease, Kustomization } from '../src/flux/objects.js';
import { settleMs } from '../src/sources/settle.js';
import { fluxKinds } from './harness/foreign-kinds.js';
import { sameCommit, type StrategyTeam } from './harness/strategy-team.js';
import { useFixture } from './harness/fixture.js';

const key = 'flux-health';
const labels = { app: 'shop' };

const fixture = useFixture({ kinds: fluxKinds });

function follow(team: StrategyTeam, name: string, branch: string): Promise<void> {
  return team.applyFlux(FluxGitRepository, name, {
    spec: { url: team.repository.cloneUrl, ref: { branch } },
  });
}

function readyAt(commit: string, status = 'True', message = '', reason = 'Any') {
  const revision = `dev@sha1:${commit}`;
  return {
    observedGeneration: 1,
    conditions: [{ type: 'Ready', status, reason, message }],
    lastAttemptedRevision: revision,
    ...(status === 'True' && { lastAppliedRevision: revision }),
  };
}

function kustomization(
  team: StrategyTeam,
  status: object,
  name = 'apps',
  ofObject: Record<string, string> = labels,
): Promise<void> {
  const spec = { sourceRef: { kind: 'GitRepository', name: 'dev' } };
  return team.applyFlux(Kustomization, name, { labels: ofObject, spec, status });
}

async function flux(
  team: StrategyTeam,
  commit: string,
  spec: object = { selector: { matchLabels: labels } },
): Promise<void> {
  await team.activate({ dev: commit });
  await team.flux(spec);
}

/** Returns a team with two commits, whose GitRepository follows dev. */
async function following(): Promise<{ team: StrategyTeam; one: string; two: string }> {
  const team = await fixture.strategyTeam('dev');
  const [one, two] = [await team.commit(), await team.commit()];
  await follow(team, 'dev', 'dev');
  return { team, one, two };
}

describe('a FluxCommitStatus', () => {
  it('reports Kustomizations that come from the branch of an environment', async () => {
    const { team, one, two } = await following();
    await kustomization(team, readyAt(two));
    await flux(team, one);
    await team.says(key, { dev: [one, 'in_progress'] });
    await kustomization(team, readyAt(one));
    await team.observes(FluxCommitStatus, { dev: 'success' });
    await fixture.forward(settleMs);
    await team.says(key, { dev: [one, 'success'] });

    await kustomization(team, readyAt(one, 'False', 'health check timed out'));
    await team.observes(FluxCommitStatus, { dev: 'failure' });
    await fixture.forward(settleMs);
    const { dev } = await team.says(key, { dev: [one, 'failure'] });
    expect(dev?.spec.description).toBe(
      `1 of 1 Flux objects failed: ${team.namespace}/apps is not Ready: health check timed out`,
    );
  });

  it('reports nothing while Flux reconciles a healthy Kustomization again, as it does at each interval', async () => {
    const { team, one } = await following();
    await kustomization(team, readyAt(one));
    await flux(team, one);
    await team.observes(FluxCommitStatus, { dev: 'success' });
    await fixture.forward(settleMs);
    const before = await team.says(key, { dev: [one, 'success'] });
    const { lastAppliedRevision } = readyAt(one);
    const again = readyAt(one, 'Unknown', 'Reconciliation in progress', 'Progressing');
    await kustomization(team, { ...again, lastAppliedRevision });
    await eventually(async () => {
      const { status } = await fixture.client.get(FluxCommitStatus, {
        namespace: team.namespace,
        name: 'health',
      });
      expect(status?.selected?.[0]?.message).toBe('is not Ready yet: Reconciliation in progress');
    });
    await fixture.sync.rest();
    expect(await team.says(key, { dev: [one, 'success'] })).toEqual(before);
  });

  it('is woken when the GitRepository begins to follow the branch', async () => {
    const team = await fixture.strategyTeam('dev');
    const one = await team.commit();
    await follow(team, 'dev', 'elsewhere');
    await kustomization(team, readyAt(one));
    await flux(team, one);
    await team.observes(FluxCommitStatus, { dev: 'in_progress' });
    await follow(team, 'dev', 'dev');
    await team.observes(FluxCommitStatus, { dev: 'success' });
  });

  it('reports a HelmRelease by the Kustomization that applied it, and is woken by both', async () => {
    const { team, one, two } = await following();
    await kustomization(team, readyAt(two), 'apps', { unselected: 'true' });
    const appliedBy = {
      ...labels,
      'kustomize.toolkit.fluxcd.io/name': 'apps',
      'kustomize.toolkit.fluxcd.io/namespace': team.namespace,
    };
    const release = (status: string) =>
      team.applyFlux(HelmRelease, 'shop', {
        labels: appliedBy,
        spec: { chart: { spec: { chart: 'shop', sourceRef: { kind: 'HelmRepository', name: 'charts' } } } },
        status: {
          observedGeneration: 1,
          conditions: [{ type: 'Ready', status }],
          lastAttemptedRevision: '1.0.0',
        },
      });
    await release('True');
    await flux(team, one);
    await team.observes(FluxCommitStatus, { dev: 'in_progress' });
    await kustomization(team, readyAt(one), 'apps', { unselected: 'true' });
    await team.observes(FluxCommitStatus, { dev: 'success' });
    await release('False');
    await team.observes(FluxCommitStatus, { dev: 'failure' });
  });

  it('reports objects that are selected by labels, regardless of their sources', async () => {
    const team = await fixture.strategyTeam('dev');
    const one = await team.commit();
    const spec = { sourceRef: { kind: 'OCIRepository', name: 'image' } };
    const status = { ...readyAt(one), lastAppliedRevision: `latest@sha256:${'e'.repeat(64)}` };
    await team.applyFlux(Kustomization, 'apps', {
      labels: { environment: 'dev' },
      spec,
      status: { ...status, lastAppliedOriginRevision: `dev@sha1:${one}` },
    });
    await flux(team, one, {
      environments: [{ branch: 'dev', selector: { matchLabels: { environment: 'dev' } } }],
    });
    await team.observes(FluxCommitStatus, { dev: 'success' });
  });

  it('fails if an object is stalled at the commit, but not if the object waits for another object, and not for the next commit', async () => {
    const { team, one, two } = await following();
    await kustomization(team, readyAt(one, 'False', 'waits for db', 'DependencyNotReady'));
    await flux(team, one);
    await team.observes(FluxCommitStatus, { dev: 'in_progress' });
    const { conditions, ...rest } = readyAt(one, 'False', 'invalid manifest', 'BuildFailed');
    const stalled = { type: 'Stalled', status: 'True', reason: 'BuildFailed', message: '' };
    await kustomization(team, { ...rest, conditions: [...conditions, stalled] });
    await team.observes(FluxCommitStatus, { dev: 'failure' });
    await fixture.forward(settleMs);
    await team.says(key, { dev: [one, 'failure'] });
    await team.activate({ dev: two });
    await team.says(key, { dev: [two, 'in_progress'] });
  });

  it('reports that a suspended object stays at its commit', async () => {
    const { team, one, two } = await following();
    await kustomization(team, readyAt(one));
    await flux(team, one);
    await team.observes(FluxCommitStatus, { dev: 'success' });
    await fixture.forward(settleMs);
    await team.says(key, { dev: [one, 'success'] });

    await team.applyFlux(Kustomization, 'apps', {
      labels,
      spec: { sourceRef: { kind: 'GitRepository', name: 'dev' }, suspend: true },
      status: { ...readyAt(one), observedGeneration: 2 },
    });
    await team.activate({ dev: two });
    const { dev } = await team.says(key, { dev: [two, 'in_progress'] });
    expect(dev?.spec.description).toContain(
      `is suspended and is at ${one.slice(0, 7)}, not ${two.slice(0, 7)}`,
    );
  });

  it('uses only objects of its own namespace, even if another namespace has objects with the same names', async () => {
    const [good, bad] = [await fixture.strategyTeam('dev'), await fixture.strategyTeam('dev')];
    const one = await sameCommit(good, bad);
    for (const team of [good, bad]) {
      await follow(team, 'dev', 'dev');
      await kustomization(team, readyAt(one, team === good ? 'True' : 'False'));
      await flux(team, one);
      await team.observes(FluxCommitStatus, { dev: team === good ? 'success' : 'failure' });
    }
    await fixture.forward(settleMs);
    await good.says(key, { dev: [one, 'success'] });
    await bad.says(key, { dev: [one, 'failure'] });
  });

  it('is refused without any selector', async () => {
    const team = await fixture.strategyTeam('dev');
    await expect(team.flux({})).rejects.toMatchObject({ type: 'Invalid' });
  });
});
