import { describe, expect, it } from '@jest/globals';
import type { CommitStatus } from '@interlock/api';
import { Problem } from '@interlock/base';
import { ArgoCDCommitStatus, type PromotionStrategy } from '@interlock/api';
import fc from 'fast-check';
import { reportName } from '../sources/child.js';
import { settleMs } from '../sources/settle.js';
import { argocd, commitStatus, now, phases, repository, sha, strategy } from '../sources/testing/builders.js';
import type { Application } from './application.js';
import { decideArgoCD, type ObservedArgoCD } from './decide.js';
import { application, at } from './testing/applications.js';

const commit = sha('abc1234');
const other = sha('def5678');

interface Case {
  source?: ArgoCDCommitStatus;
  of?: PromotionStrategy | undefined;
  applications?: ObservedArgoCD['applications'];
  repository?: ObservedArgoCD['repository'];
  children?: CommitStatus[];
}

function observe(one: Case): ObservedArgoCD {
  const of = 'of' in one ? one.of : strategy({ dev: commit });
  return {
    observed: { source: one.source ?? argocd(), strategy: of, children: one.children ?? [] },
    repository: one.repository ?? repository,
    applications: one.applications ?? [],
  };
}

/** Decides twice: when the observation is new, and when it has lasted long enough to count. */
function settled(one: Case) {
  const source = one.source ?? argocd();
  const { status } = decideArgoCD(observe({ ...one, source }), now);
  return decideArgoCD(observe({ ...one, source: { ...source, status } }), now + settleMs);
}

const spec = (decision: ReturnType<typeof decideArgoCD>) =>
  decision.commitStatuses.map((status) => status['spec'] as CommitStatus['spec']);
const ready = (decision: ReturnType<typeof decideArgoCD>) =>
  decision.status.conditions?.find(({ type }) => type === 'Ready');
const healthy = (name: string, branch = 'dev') => application(name, branch, at(commit));
const degraded = (name: string) => application(name, 'dev', at(commit, 'Degraded'));
const rolling = (name: string) => application(name, 'dev', at(commit, 'Progressing'));

describe('an environment', () => {
  it.each<[string, Application[], string, string]>([
    [
      'succeeds when all Applications are healthy',
      [healthy('a'), healthy('b')],
      'success',
      '2 of 2 Applications are healthy on abc1234',
    ],
    [
      'fails when one of three Applications is degraded',
      [healthy('a'), degraded('b'), healthy('c')],
      'failure',
      '1 of 3 Applications failed: argocd/b is Degraded',
    ],
    [
      'fails when all Applications are degraded',
      [degraded('a'), degraded('b')],
      'failure',
      '2 of 2 Applications failed: argocd/a is Degraded',
    ],
    [
      'fails when an Application is degraded while another one rolls out',
      [rolling('a'), degraded('b')],
      'failure',
      '1 of 2',
    ],
    [
      'is in progress while an Application rolls out',
      [healthy('a'), rolling('b')],
      'in_progress',
      '1 of 2 Applications are healthy on abc1234; argocd/b is Progressing and Synced',
    ],
    [
      'is in progress while an Application is at another commit',
      [healthy('a'), application('b', 'dev', at(other))],
      'in_progress',
      'argocd/b is at def5678',
    ],
    [
      'is in progress without Applications',
      [],
      'in_progress',
      'no Application that spec.applicationSelector selects in namespace team follows branch dev',
    ],
    [
      'is in progress with only Applications of other environments',
      [healthy('a', 'prod')],
      'in_progress',
      'no Application',
    ],
  ])('%s', (_case, applications, phase, message) => {
    const decision = settled({ applications });
    expect(spec(decision)).toMatchObject([
      { sha: commit, phase, name: 'argocd-health/dev', description: expect.stringContaining(message) },
    ]);
    expect(decision.status).toMatchObject({ phase, environments: [{ branch: 'dev', phase }] });
    expect(ready(decision)).toMatchObject({ status: 'True', message: `dev: ${phase}` });
  });

  it('is in progress until its health has lasted for the settle time, and is checked again exactly then', () => {
    const first = decideArgoCD(observe({ applications: [degraded('a')] }), now);
    expect(phases(first.status)).toEqual({ dev: 'in_progress' });
    expect(first.requeueAfterMs).toBe(settleMs);
    const second = decideArgoCD(
      observe({ applications: [degraded('a')], source: argocd({}, first.status) }),
      now + settleMs - 1,
    );
    expect(second.requeueAfterMs).toBe(1);
    expect(phases(second.status)).toEqual({ dev: 'in_progress' });
    expect(settled({ applications: [degraded('a')] }).requeueAfterMs).toBeUndefined();
  });

  it('is judged separately from other environments', () => {
    const of = strategy({ dev: commit, test: other, prod: undefined });
    const applications = [
      healthy('a'),
      application('b', 'test', at(other, 'Degraded')),
      healthy('c', 'prod'),
    ];
    const decision = settled({ of, applications });
    expect(phases(decision.status)).toEqual({ dev: 'success', test: 'failure', prod: 'in_progress' });
    expect(decision.status.phase).toBe('failure');
    expect(spec(decision).map(({ name, sha: of }) => [name, of])).toEqual([
      ['argocd-health/dev', commit],
      ['argocd-health/test', other],
    ]);
  });

  it('includes an Application in each environment whose branch one of its sources follows', () => {
    const repoURL = 'https://github.com/acme/deployments';
    const sources = ['dev', 'test'].map((targetRevision) => ({ repoURL, targetRevision }));
    const status = { ...at(commit), sync: { status: 'Synced', revisions: [commit, commit] } };
    const decision = settled({
      of: strategy({ dev: commit, test: other }),
      applications: [application('a', '', status, { sources })],
    });
    expect(phases(decision.status)).toEqual({ dev: 'success', test: 'in_progress' });
  });

  it('fails when any Application fails, succeeds when all succeed, and lists the worst Application first', () => {
    const health = fc.constantFrom('Healthy', 'Degraded', 'Missing', 'Progressing', 'Suspended', 'Unknown');
    const sync = fc.constantFrom('Synced', 'OutOfSync', 'Unknown');
    const revision = fc.constantFrom(commit, commit, other);
    fc.assert(
      fc.property(fc.array(fc.record({ health, sync, revision }), { maxLength: 8 }), (ones) => {
        const applications = ones.map((one, index) =>
          application(`a${index}`, 'dev', at(one.revision, one.health, one.sync)),
        );
        const here = ones.filter((one) => one.revision === commit);
        const failed = here.filter((one) => one.health === 'Degraded' && one.sync === 'Synced');
        const good = here.filter((one) => one.health === 'Healthy' && one.sync === 'Synced');
        const all = ones.length > 0 && good.length === ones.length;
        const expected = failed.length > 0 ? 'failure' : all ? 'success' : 'in_progress';
        const { status } = settled({ applications });
        expect(status.phase).toBe(expected);
        const order = ['failure', 'in_progress', 'success'];
        const ranks = (status.selected ?? []).map(({ phase = '' }) => order.indexOf(phase));
        expect(ranks).toEqual([...ranks].sort());
      }),
    );
  });
});

describe('the status', () => {
  it('lists at most 100 selected objects, including those that run no environment', () => {
    const strays = [application('stray', 'feature', at(commit))];
    expect(settled({ applications: [...strays, healthy('a')] }).status.selected).toEqual([
      {
        kind: 'Application',
        namespace: 'argocd',
        name: 'a',
        branch: 'dev',
        phase: 'success',
        message: 'is Healthy and Synced',
      },
      {
        kind: 'Application',
        namespace: 'argocd',
        name: 'stray',
        message: expect.stringContaining('does not follow an environment'),
      },
    ]);
    const many = Array.from({ length: 150 }, (_, index) => healthy(`a${index}`));
    const { status } = settled({ applications: [...many, degraded('z')] });
    expect(status.selected).toHaveLength(100);
    expect(status.selected?.[0]).toMatchObject({ name: 'z', phase: 'failure' });
    expect(status.environments).toMatchObject([{ selected: 151 }]);
    expect(ArgoCDCommitStatus.status.safeParse(status).error).toBeUndefined();
  });
});

describe('the url', () => {
  const url = (template: string) => ({ source: argocd({ url: { template } }) });
  it('contains the escaped name of the object that determines the phase', () => {
    const template =
      'https://argocd.example.com/{{ object.namespace }}/{{ object.name }}?b={{ environment.branch }}';
    const decision = settled({
      ...url(template),
      of: strategy({ 'env/dev': commit }),
      applications: [
        application('ok', 'env/dev', at(commit)),
        application('bad', 'env/dev', at(commit, 'Degraded')),
      ],
    });
    expect(spec(decision)).toMatchObject([{ url: 'https://argocd.example.com/argocd/bad?b=env%2Fdev' }]);
  });

  it.each(['https://x/{{ nope }}', 'https://x/{{ a', 'https://'])(
    'that is malformed closes the gate: %s',
    (template) => {
      const decision = settled({ ...url(template), applications: [healthy('a')] });
      expect(ready(decision)).toMatchObject({ status: 'False', reason: 'InvalidTemplate' });
      expect(decision.status.conditions).toContainEqual(
        expect.objectContaining({ type: 'Stalled', status: 'True' }),
      );
      expect(spec(decision)).toMatchObject([
        { phase: 'in_progress', description: expect.stringContaining('template') },
      ]);
      expect(spec(decision)[0]).not.toHaveProperty('url');
    },
  );
});

describe('a missing dependency', () => {
  it('removes the CommitStatuses if it is the PromotionStrategy', () => {
    const owner = {
      apiVersion: '',
      kind: 'ArgoCDCommitStatus',
      name: 'health',
      uid: 'uid-health',
      controller: true,
    };
    const mine = commitStatus('health-x', 'argocd-health', commit, 'success', { ownerReferences: [owner] });
    const decision = settled({ of: undefined, children: [mine] });
    expect(decision.commitStatuses).toEqual([]);
    expect(decision.obsolete).toEqual([
      { key: { namespace: 'team', name: 'health-x' }, uid: 'uid-health-x' },
    ]);
    expect(ready(decision)).toMatchObject({ status: 'False', reason: 'PromotionStrategyNotFound' });
  });

  it.each([
    ['Applications', { applications: new Problem('NotServed', 'no Applications') }, 'NotServed'],
    ['repository', { repository: new Problem('ProviderNotFound', 'none') }, 'ProviderNotFound'],
  ])('closes the gate: %s', (_case, missing, reason) => {
    const before = settled({ applications: [healthy('a')] });
    const decision = settled({ applications: [healthy('a')], ...missing, source: argocd({}, before.status) });
    expect(spec(decision)).toMatchObject([{ sha: commit, phase: 'in_progress' }]);
    expect(ready(decision)).toMatchObject({ status: 'False', reason });
  });

  it('does not change a CommitStatus of another owner', () => {
    const name = reportName(argocd(), 'dev');
    const decision = settled({
      applications: [healthy('a')],
      children: [commitStatus(name, 'argocd-health', commit, 'success')],
    });
    expect(decision).toMatchObject({ commitStatuses: [], obsolete: [], requeueAfterMs: 60_000 });
    expect(ready(decision)).toMatchObject({ reason: 'NameTaken', message: expect.stringContaining(name) });
  });
});
