import { describe, expect, it } from '@jest/globals';
import { sha } from '../sources/testing/builders.js';
import { helmRelease, kustomization, readyIs } from './testing/workloads.js';
import { judgeWorkload, revisionsOf } from './verdict.js';

const commit = sha('abc1234');
const other = sha('def5678');
const applied = (of: string, attempted = of) => ({
  lastAppliedRevision: `dev@sha1:${of}`,
  lastAttemptedRevision: `dev@sha1:${attempted}`,
});

describe('a Kustomization', () => {
  it.each<[string, object, string, string]>([
    ['Ready at the commit', { ...applied(commit), ...readyIs('True') }, 'success', 'is Ready'],
    [
      'Ready at another commit',
      { ...applied(other), ...readyIs('True') },
      'in_progress',
      'is at def5678, not abc1234',
    ],
    [
      'not Ready at the commit',
      { ...applied(other, commit), ...readyIs('False', 'HealthCheckFailed', 'timeout') },
      'failure',
      'is not Ready: timeout',
    ],
    [
      'not Ready since it was at the commit',
      { ...applied(commit), ...readyIs('False', 'ReconciliationFailed', 'denied') },
      'failure',
      'is not Ready: denied',
    ],
    [
      'not Ready at another commit',
      { ...applied(other), ...readyIs('False', 'BuildFailed', 'bad yaml') },
      'in_progress',
      'failed at def5678, not abc1234',
    ],
    [
      'not Ready from the beginning',
      readyIs('False', 'BuildFailed', 'none'),
      'in_progress',
      'failed at no known commit, not abc1234',
    ],
    [
      'waiting for a dependency',
      { ...applied(commit), ...readyIs('False', 'DependencyNotReady', 'db') },
      'in_progress',
      'is not Ready yet: db',
    ],
    [
      'waiting for its source',
      { ...applied(commit), ...readyIs('False', 'ArtifactFailed', 'none') },
      'in_progress',
      'is not Ready yet: none',
    ],
    [
      'whose health checks Flux canceled for another reconciliation',
      {
        ...applied(other, commit),
        ...readyIs('False', 'HealthCheckCanceled', 'New reconciliation triggered'),
      },
      'in_progress',
      'is at def5678, not abc1234',
    ],
    [
      'being reconciled',
      { ...applied(commit), ...readyIs('Unknown', 'Progressing', 'applying') },
      'in_progress',
      'is not Ready yet: applying',
    ],
    [
      'not reconciled since its spec changed',
      { ...applied(commit), ...readyIs('True'), observedGeneration: 1 },
      'in_progress',
      'has not been reconciled since its spec changed',
    ],
    [
      /* kustomize-controller writes status.observedGeneration when a reconciliation succeeds. */
      'not Ready at the commit since its spec changed',
      {
        ...applied(other, commit),
        ...readyIs('False', 'BuildFailed', 'bad yaml', 2),
        observedGeneration: 1,
      },
      'failure',
      'is not Ready: bad yaml',
    ],
    [
      'not Ready before its spec changed',
      { ...applied(commit), ...readyIs('False', 'BuildFailed', 'bad yaml', 1), observedGeneration: 1 },
      'in_progress',
      'has not been reconciled since its spec changed',
    ],
    ['without status', {}, 'in_progress', 'is at no known commit, not abc1234'],
    [
      'of an image that names its commit',
      {
        lastAppliedRevision: `latest@sha256:${'e'.repeat(64)}`,
        lastAppliedOriginRevision: `dev@sha1:${commit}`,
        ...readyIs('True'),
      },
      'success',
      'is Ready',
    ],
    [
      'of a commit without branch',
      { lastAppliedRevision: `sha1:${commit}`, ...readyIs('True') },
      'success',
      'is Ready',
    ],
    [
      'of the form before Flux 2.0',
      { lastAppliedRevision: `dev/${commit}`, ...readyIs('True') },
      'success',
      'is Ready',
    ],
    [
      'of a short form, which Flux does not write',
      { lastAppliedRevision: 'dev@sha1:abc1234', ...readyIs('True') },
      'in_progress',
      'is at no known commit, not abc1234',
    ],
  ])('is judged by its status: %s', (_case, status, phase, message) => {
    const workload = kustomization('app', 'deployments', status);
    expect(judgeWorkload(workload, revisionsOf(workload, true, undefined), commit)).toMatchObject({
      phase,
      message,
    });
  });

  it('is considered to be at its commit if a later commit did not change its folder', () => {
    const workload = kustomization('app', 'deployments', { ...applied(other), ...readyIs('True') });
    const revisions = revisionsOf(workload, true, undefined);
    expect(judgeWorkload(workload, revisions, commit).phase).toBe('in_progress');
    expect(judgeWorkload(workload, revisions, commit, other).phase).toBe('success');
  });

  it('is reported as suspended', () => {
    const workload = kustomization('app', 'deployments', { ...applied(other), ...readyIs('True') });
    const suspended = { ...workload, spec: { ...workload.spec, suspend: true } };
    expect(judgeWorkload(suspended, revisionsOf(suspended, true, undefined), commit).message).toBe(
      'is suspended and is at def5678, not abc1234',
    );
  });
});

describe('a HelmRelease', () => {
  const applier = kustomization('apps', 'deployments', { ...applied(commit), ...readyIs('True') });
  const behind = kustomization('apps', 'deployments', { ...applied(other), ...readyIs('True') });
  const version = (of: string) => ({ lastAttemptedRevision: `1.2.3+${of}`, ...readyIs('True') });

  it.each([
    ['Ready with a chart of the commit', version(commit.slice(0, 12)), true, undefined, 'success'],
    [
      'Ready with a chart and values of the commit',
      version(`${commit.slice(0, 12)}.3`),
      true,
      undefined,
      'success',
    ],
    ['Ready with a chart of another commit', version(other.slice(0, 12)), true, undefined, 'in_progress'],
    ['whose chart is of another repository', version(commit.slice(0, 12)), false, undefined, 'in_progress'],
    ['applied by a Kustomization at the commit', version('x'), false, applier, 'success'],
    ['applied by a Kustomization at another commit', version('x'), false, behind, 'in_progress'],
    [
      'without a relation to a commit',
      { lastAttemptedRevision: '1.2.3', ...readyIs('True') },
      true,
      undefined,
      'in_progress',
    ],
    ['not Ready, applied at the commit', readyIs('False', 'UpgradeFailed'), false, applier, 'failure'],
    ['not Ready, applied at another commit', readyIs('False', 'UpgradeFailed'), false, behind, 'in_progress'],
  ])('is judged by its status and its origin: %s', (_case, status, own, appliedBy, phase) => {
    const workload = helmRelease('shop', status);
    expect(judgeWorkload(workload, revisionsOf(workload, own, appliedBy), commit).phase).toBe(phase);
  });

  /* helm-controller writes status.observedGeneration for a suspended HelmRelease that it does not reconcile. */
  it.each(['True', 'False'])('that is suspended is not judged by an earlier Ready=%s', (ready) => {
    const workload = helmRelease('shop', readyIs(ready, 'UpgradeResult'));
    const suspended = { ...workload, spec: { ...workload.spec, suspend: true } };
    expect(judgeWorkload(suspended, revisionsOf(suspended, false, applier), commit)).toMatchObject({
      phase: 'in_progress',
      message: 'is suspended, so changes of its spec are not reconciled',
    });
  });
});
