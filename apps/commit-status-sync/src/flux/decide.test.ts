import { describe, expect, it } from '@jest/globals';
import { keyOf, keyString, timestampOf, type FluxCommitStatus, type PromotionStrategy } from '@interlock/api';
import { Problem } from '@interlock/base';
import { settleMs } from '../sources/settle.js';
import { flux, now, phases, repository, sha, strategy } from '../sources/testing/builders.js';
import { decideFlux, selectsWorkload, type ObservedFlux } from './decide.js';
import type { FluxGitRepository, FluxWorkload } from './objects.js';
import { gitRepository, helmRelease, kustomization, readyIs } from './testing/workloads.js';

const commit = sha('abc1234');
const other = sha('def5678');
const ready = (of = commit) => ({ lastAppliedRevision: `dev@sha1:${of}`, ...readyIs('True') });

interface Case {
  source?: FluxCommitStatus;
  of?: PromotionStrategy;
  workloads?: ObservedFlux['workloads'];
  /** Kustomizations that exist without being selected. */
  appliers?: FluxWorkload[];
  repositories?: FluxGitRepository[];
}

const sources = [gitRepository('dev', { branch: 'dev' }), gitRepository('prod', { branch: 'prod' })];

function observe({
  source = flux({ selector: {} }),
  of = strategy({ dev: commit }),
  ...one
}: Case): ObservedFlux {
  const { workloads = [], appliers = [], repositories = sources } = one;
  const find = <T extends FluxWorkload | FluxGitRepository>(objects: readonly T[], key: string) =>
    objects.find((object) => keyString(keyOf(object)) === key);
  return {
    observed: { source, strategy: of, children: [] },
    repository,
    workloads,
    kustomization: (key) =>
      find([...(Array.isArray(workloads) ? workloads : []), ...appliers], keyString(key)),
    gitRepository: (key) => find(repositories, keyString(key)),
  };
}

function settled(one: Case, then: Case = one, ms = settleMs) {
  const source = one.source ?? flux({ selector: {} });
  const { status } = decideFlux(observe({ ...one, source }), now);
  return decideFlux(observe({ ...then, source: { ...source, status } }), now + ms);
}

describe('an environment', () => {
  it.each<[string, Case, string]>([
    [
      'includes objects by their GitRepository',
      { workloads: [kustomization('a', 'dev', ready())] },
      'success',
    ],
    [
      'does not include objects of another branch',
      { workloads: [kustomization('a', 'prod', ready())] },
      'in_progress',
    ],
    [
      'does not include objects of an unknown GitRepository',
      { workloads: [kustomization('a', 'gone', ready())] },
      'in_progress',
    ],
    [
      'does not include objects of another repository',
      {
        workloads: [kustomization('a', 'dev', ready())],
        repositories: [gitRepository('dev', { branch: 'dev' }, 'https://github.com/acme/else')],
      },
      'in_progress',
    ],
    [
      'may be named by a full ref',
      {
        workloads: [kustomization('a', 'r', ready())],
        repositories: [gitRepository('r', { name: 'refs/heads/dev' })],
      },
      'success',
    ],
    [
      'includes a HelmRelease by the Kustomization that applied it',
      {
        workloads: [helmRelease('h', ready(), { appliedBy: 'a' })],
        appliers: [kustomization('a', 'dev', ready())],
      },
      'success',
    ],
    [
      'is in progress while the Kustomization that applied a HelmRelease is at another commit',
      {
        workloads: [helmRelease('h', ready(), { appliedBy: 'a' })],
        appliers: [kustomization('a', 'dev', ready(other))],
      },
      'in_progress',
    ],
    [
      'includes a HelmRelease by the revision of its chart',
      {
        workloads: [
          helmRelease(
            'h',
            { lastAttemptedRevision: `1.0.0+${commit.slice(0, 12)}`, ...readyIs('True') },
            { source: 'dev' },
          ),
        ],
      },
      'success',
    ],
    [
      'fails with one of its objects',
      {
        workloads: [
          kustomization('a', 'dev', ready()),
          kustomization('b', 'dev', { lastAttemptedRevision: `dev@sha1:${commit}`, ...readyIs('False') }),
        ],
      },
      'failure',
    ],
    ['waits if no object is selected', { workloads: [] }, 'in_progress'],
  ])('%s', (_case, one, phase) => {
    expect(phases(settled(one).status)).toEqual({ dev: phase });
  });

  it('does not include a Kustomization merely because the Kustomization that applied it is included', () => {
    const workload = kustomization('a', 'elsewhere', ready(), {
      'kustomize.toolkit.fluxcd.io/name': 'boot',
      'kustomize.toolkit.fluxcd.io/namespace': 'flux-system',
    });
    const { status } = settled({ workloads: [workload], appliers: [kustomization('boot', 'dev', ready())] });
    expect(status.environments).toMatchObject([{ selected: 0 }]);
  });

  it('may be named by labels, whatever the sources of the objects are', () => {
    const source = flux({ environments: [{ branch: 'dev', selector: { matchLabels: { env: 'dev' } } }] });
    const workloads = [kustomization('a', 'image', ready(), { env: 'dev' })];
    expect(phases(settled({ source, workloads }).status)).toEqual({ dev: 'success' });
  });

  it('that the strategy does not contain is reported, and does not affect other environments', () => {
    const source = flux({
      selector: {},
      environments: [{ branch: 'stage', selector: { matchLabels: { env: 'stage' } } }],
    });
    const { status } = settled({ source, workloads: [kustomization('a', 'dev', ready())] });
    expect(phases(status)).toEqual({ dev: 'success' });
    expect(status.conditions).toContainEqual(
      expect.objectContaining({ type: 'Stalled', status: 'True', reason: 'UnknownEnvironment' }),
    );
  });

  it('is in progress while the objects are not known', () => {
    const problem = new Problem('NotServed', 'Flux is not installed');
    const { status, commitStatuses } = settled({ workloads: problem });
    expect(phases(status)).toEqual({ dev: 'in_progress' });
    expect(commitStatuses).toMatchObject([{ spec: { phase: 'in_progress', description: problem.message } }]);
  });
});

describe('selectsWorkload', () => {
  const workload = kustomization('a', 'dev', {}, { app: 'shop' });
  it.each<[string, Partial<FluxCommitStatus['spec']>, boolean]>([
    ['selects by the selector', { selector: { matchLabels: { app: 'shop' } }, namespaces: ['*'] }, true],
    [
      'selects by the selector of an environment',
      { environments: [{ branch: 'dev', selector: {} }], namespaces: ['flux-system'] },
      true,
    ],
    [
      'does not select other labels',
      { selector: { matchLabels: { app: 'blog' } }, namespaces: ['*'] },
      false,
    ],
    ['does not select other namespaces', { selector: {} }, false],
    ['selects nothing without a selector', { namespaces: ['*'] }, false],
  ])('%s', (_case, spec, expected) => {
    expect(selectsWorkload(flux(spec), workload)).toBe(expected);
  });
});

/* kustomize-controller sets Ready=Unknown at the beginning of each reconciliation, and then Ready=True with a new time. */
describe('a Kustomization that is reconciled again at its interval', () => {
  const at = (status: object, of = commit, attempted = of) =>
    kustomization('a', 'dev', {
      ...{ lastAppliedRevision: `dev@sha1:${of}`, lastAttemptedRevision: `dev@sha1:${attempted}` },
      ...status,
    });
  const again = readyIs('Unknown', 'Progressing', 'Reconciliation in progress');
  const healthy = { workloads: [at(readyIs('True'))] };

  it('stays successful meanwhile', () => {
    const { status, commitStatuses } = settled(healthy, { workloads: [at(again)] });
    expect(phases(status)).toEqual({ dev: 'success' });
    expect(commitStatuses).toEqual(settled(healthy).commitStatuses);
  });

  it('stays successful afterwards, without another settle time', () => {
    const lastTransitionTime = timestampOf(now + 60_000);
    const [condition] = (readyIs('True') as { conditions: object[] }).conditions;
    const later = { workloads: [at({ conditions: [{ ...condition, lastTransitionTime }] })] };
    expect(phases(settled(healthy, later, 61_000).status)).toEqual({ dev: 'success' });
  });

  it.each<[string, Case, Case]>([
    ['it was not observed as successful', { workloads: [at(again)] }, { workloads: [at(again)] }],
    [
      'it was reconciled at another commit before',
      { workloads: [at(readyIs('True'), other)], of: strategy({ dev: other }) },
      { workloads: [at(again)] },
    ],
    ['its spec has changed', healthy, { workloads: [at({ ...again, observedGeneration: 1 })] }],
    ['it is reconciled at another commit', healthy, { workloads: [at(again, commit, other)] }],
    [
      'another object is not ready',
      healthy,
      { workloads: [at(again), kustomization('b', 'dev', { ...ready(other) })] },
    ],
  ])('is in progress if %s', (_case, one, then) => {
    expect(phases(settled(one, then).status)).toEqual({ dev: 'in_progress' });
  });

  it('does not let a HelmRelease count as successful that is being upgraded', () => {
    const release = (status: object) => helmRelease('shop', status, { appliedBy: 'a' });
    const appliers = [at(readyIs('True'))];
    const one = { workloads: [release(readyIs('True'))], appliers };
    expect(phases(settled(one).status)).toEqual({ dev: 'success' });
    expect(phases(settled(one, { workloads: [release(again)], appliers }).status)).toEqual({
      dev: 'in_progress',
    });
  });
});

/* It sets Ready=Unknown for a retry too, and then Ready=False with a new time. */
describe('a Kustomization that failed and is tried again', () => {
  const at = (status: object, attempted = commit) =>
    kustomization('a', 'dev', {
      ...{ lastAppliedRevision: `dev@sha1:${other}`, lastAttemptedRevision: `dev@sha1:${attempted}` },
      ...status,
    });
  const again = readyIs('Unknown', 'Progressing', 'Reconciliation in progress');
  const failed: Case = { workloads: [at(readyIs('False', 'HealthCheckFailed', 'timeout'))] };

  it('has failed meanwhile, for the same reason', () => {
    const retried = settled(failed, { workloads: [at(again)] });
    expect(retried.commitStatuses).toEqual(settled(failed).commitStatuses);
    const source = { ...flux({ selector: {} }), status: retried.status };
    const later = decideFlux(observe({ workloads: [at(again)], source }), now + 2 * settleMs);
    expect(phases(later.status)).toEqual({ dev: 'failure' });
  });

  it.each<[string, Case, Case]>([
    ['it had not failed', { workloads: [at(again)] }, { workloads: [at(again)] }],
    ['it is tried at another commit', failed, { workloads: [at(again, other)] }],
    ['its spec has changed', failed, { workloads: [at({ ...again, observedGeneration: 1 })] }],
    [
      'it had failed for another commit',
      {
        workloads: [at(readyIs('False', 'HealthCheckFailed', 'timeout'), other)],
        of: strategy({ dev: other }),
      },
      { workloads: [at(again)] },
    ],
    [
      'another object had failed',
      { workloads: [at(again), kustomization('b', 'dev', { ...ready(), ...readyIs('False') })] },
      { workloads: [at(again), kustomization('b', 'dev', ready())] },
    ],
  ])('is in progress if %s', (_case, one, then) => {
    expect(phases(settled(one, then).status)).toEqual({ dev: 'in_progress' });
  });
});
