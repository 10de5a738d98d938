import { describe, expect, it } from '@jest/globals';
import { repository, repositoryUrl, sha } from '../sources/testing/builders.js';
import type { ApplicationSpec, ApplicationStatus } from './application.js';
import { application, at } from './testing/applications.js';
import { followedSources, judgeApplication } from './verdict.js';

const commit = sha('abc1234');
const other = sha('def5678');
const operation = (phase: string, revision: string) => ({
  operationState: { phase, message: 'one hook failed', syncResult: { revision } },
});

describe('judgeApplication', () => {
  it.each<[string, ApplicationStatus, string, string]>([
    ['healthy and synced', at(commit), 'success', 'is Healthy and Synced'],
    ['healthy, synced to another commit', at(other), 'in_progress', 'is at def5678, not abc1234'],
    [
      'healthy, out of sync',
      at(commit, 'Healthy', 'OutOfSync'),
      'in_progress',
      'is Healthy and OutOfSync, not synced to abc1234 yet',
    ],
    ['progressing', at(commit, 'Progressing'), 'in_progress', 'is Progressing and Synced'],
    ['suspended', at(commit, 'Suspended'), 'in_progress', 'is Suspended and Synced'],
    [
      'of unknown health',
      at(commit, 'Unknown', 'Unknown'),
      'in_progress',
      'is Unknown and Unknown, not synced to abc1234 yet',
    ],
    ['degraded', at(commit, 'Degraded'), 'failure', 'is Degraded'],
    [
      'degraded and out of sync, never synced',
      at(commit, 'Degraded', 'OutOfSync'),
      'in_progress',
      'is Degraded and OutOfSync, not synced to abc1234 yet',
    ],
    [
      'missing after it was deployed',
      at(commit, 'Missing', 'OutOfSync', operation('Succeeded', commit)),
      'in_progress',
      'is Missing and OutOfSync',
    ],
    ['degraded on another commit', at(other, 'Degraded'), 'in_progress', 'is at def5678, not abc1234'],
    [
      'degraded, with a reason',
      { ...at(commit), health: { status: 'Degraded', message: 'crash loop' } },
      'failure',
      'is Degraded: crash loop',
    ],
    [
      'degraded from before, while the commit is not deployed yet',
      at(commit, 'Degraded', 'OutOfSync', operation('Succeeded', other)),
      'in_progress',
      'is Degraded and OutOfSync, not synced to abc1234 yet',
    ],
    [
      'degraded from before, while the commit is being deployed',
      at(commit, 'Degraded', 'OutOfSync', operation('Running', commit)),
      'in_progress',
      'is Degraded and OutOfSync, not synced to abc1234 yet',
    ],
    [
      'degraded after the commit was deployed',
      at(commit, 'Degraded', 'OutOfSync', operation('Succeeded', commit)),
      'failure',
      'is Degraded',
    ],
    [
      'a failed sync to the commit',
      at(commit, 'Healthy', 'OutOfSync', operation('Failed', commit)),
      'failure',
      'could not be synced to abc1234: one hook failed',
    ],
    [
      'a sync to the commit that ended with an error',
      at(commit, 'Healthy', 'OutOfSync', operation('Error', commit)),
      'failure',
      'could not be synced to abc1234: one hook failed',
    ],
    [
      'a failed sync to another commit',
      at(commit, 'Healthy', 'Synced', operation('Failed', other)),
      'success',
      'is Healthy and Synced',
    ],
    [
      'a SyncError',
      at(commit, 'Healthy', 'OutOfSync', { conditions: [{ type: 'SyncError', message: 'denied' }] }),
      'failure',
      'could not be synced to abc1234: denied',
    ],
    [
      'a ComparisonError, which an unreachable repository causes too',
      at(commit, 'Unknown', 'Unknown', { conditions: [{ type: 'ComparisonError', message: 'timeout' }] }),
      'in_progress',
      'is Unknown and Unknown, not synced to abc1234 yet',
    ],
    ['no status', {}, 'in_progress', 'is at no revision, not abc1234'],
    ['an empty revision', at(''), 'in_progress', 'is at no revision, not abc1234'],
  ])('judges an Application by its status: %s', (_case, status, phase, message) => {
    expect(judgeApplication(application('a', 'dev', status), { branch: 'dev' }, commit)).toMatchObject({
      phase,
      message,
    });
  });

  it('uses the revision of the source that follows the branch', () => {
    const status = { ...at(commit), sync: { status: 'Synced', revisions: [other, commit] } };
    const app = application('a', 'dev', status);
    expect(judgeApplication(app, { branch: 'dev', index: 1 }, commit).phase).toBe('success');
    expect(judgeApplication(app, { branch: 'dev', index: 0 }, commit).phase).toBe('in_progress');
  });

  it('considers an Application to be at the commit if a later commit did not change its folder', () => {
    const later = 'e'.repeat(40);
    const app = application('a', 'dev', at(later));
    expect(judgeApplication(app, { branch: 'dev' }, commit).phase).toBe('in_progress');
    expect(judgeApplication(app, { branch: 'dev' }, commit, later).phase).toBe('success');
  });

  it('returns when the health of the Application last changed', () => {
    const verdict = judgeApplication(application('a', 'dev', at(commit)), { branch: 'dev' }, commit);
    expect(verdict.changedAt).toBe(Date.parse('2026-01-01T00:00:00Z'));
  });
});

describe('followedSources', () => {
  const chart = { repoURL: 'https://charts.example.com', targetRevision: '1.2.3' };
  it.each<[string, ApplicationSpec, object[]]>([
    ['one source', { source: { repoURL: repositoryUrl, targetRevision: 'dev' } }, [{ branch: 'dev' }]],
    [
      'a full ref',
      { source: { repoURL: repositoryUrl, targetRevision: 'refs/heads/dev' } },
      [{ branch: 'dev' }],
    ],
    ['another repository', { source: { repoURL: 'https://github.com/acme/x', targetRevision: 'dev' } }, []],
    ['no revision', { source: { repoURL: repositoryUrl } }, []],
    [
      'several sources, of which one is of the repository',
      { sources: [chart, { repoURL: 'git@github.com:acme/deployments', targetRevision: 'dev' }] },
      [{ branch: 'dev', index: 1 }],
    ],
    [
      'the source hydrator before the source',
      {
        source: { repoURL: repositoryUrl, targetRevision: 'main' },
        sourceHydrator: { drySource: { repoURL: repositoryUrl }, syncSource: { targetBranch: 'dev' } },
      },
      [{ branch: 'dev' }],
    ],
    [
      'a source hydrator that writes to a repository of its own',
      {
        sourceHydrator: {
          drySource: { repoURL: 'https://github.com/acme/dry' },
          syncSource: { repoURL: repositoryUrl, targetBranch: 'dev' },
        },
      },
      [{ branch: 'dev' }],
    ],
    ['none', {}, []],
  ])('finds the sources that follow a branch: %s', (_case, spec, expected) => {
    expect(followedSources(application('a', 'dev', {}, spec), repository)).toEqual(expected);
  });

  it('finds nothing in an Application of another shape', () => {
    const strange = application('a', 'dev', { sync: 'Synced' } as never, { source: 'here' } as never);
    expect(followedSources(strange, repository)).toEqual([]);
    expect(judgeApplication(strange, { branch: 'dev' }, commit).phase).toBe('in_progress');
  });
});
