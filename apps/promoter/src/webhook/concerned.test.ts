import { describe, expect, it } from '@jest/globals';
import type { PullRequest } from '@interlock/api';
import type { WebhookEvent } from '@interlock/scm';
import * as objects from '../testing/objects.js';
import { concernedBy } from './concerned.js';

const repository = objects.gitRepository();

function pullRequest(
  name: string,
  id: number,
  state: 'open' | 'merged' | 'closed',
  sha?: string,
): PullRequest {
  return objects.pullRequest({
    metadata: { name },
    spec: { title: name, ...(sha !== undefined && { merge: { sha, method: 'merge' } }) },
    status: { state, plugin: { github: { id } } },
  });
}

const pullRequests = [
  pullRequest('waiting', 1, 'open', 'a1'),
  pullRequest('unapproved', 2, 'open'),
  pullRequest('merged', 3, 'merged', 'c3'),
  pullRequest('closed', 4, 'closed'),
];

function event(fields: Partial<WebhookEvent> & Pick<WebhookEvent, 'kind'>): WebhookEvent {
  return { delivery: '1', repository: { owner: 'acme', name: 'web' }, refs: [], ...fields };
}

const push = (ref: string): WebhookEvent =>
  event({ kind: 'push', refs: [{ ref, before: undefined, after: undefined }] });

describe('concernedBy', () => {
  it.each<[string, WebhookEvent, { repositories: number; pullRequests: string[] }]>([
    ['a push to a branch that is read', push('refs/heads/dev'), { repositories: 1, pullRequests: [] }],
    ['a push to another branch', push('refs/heads/feature'), { repositories: 0, pullRequests: [] }],
    [
      'an event about an open pull request',
      event({ kind: 'pullRequest', pullRequest: 2 }),
      { repositories: 0, pullRequests: ['unapproved'] },
    ],
    [
      'an event about a closed pull request, which may be open again',
      event({ kind: 'pullRequest', pullRequest: 4 }),
      { repositories: 0, pullRequests: ['closed'] },
    ],
    [
      'an event about a merged pull request',
      event({ kind: 'pullRequest', pullRequest: 3 }),
      { repositories: 0, pullRequests: [] },
    ],
    [
      'an event about a pull request of others',
      event({ kind: 'pullRequest', pullRequest: 9 }),
      { repositories: 0, pullRequests: [] },
    ],
    [
      'an event about pull requests without a number',
      event({ kind: 'pullRequest' }),
      { repositories: 0, pullRequests: ['waiting', 'unapproved', 'closed'] },
    ],
    [
      'a status of the commit that is to be merged',
      event({ kind: 'commitStatus', sha: 'a1' }),
      { repositories: 0, pullRequests: ['waiting'] },
    ],
    [
      'a status of another commit',
      event({ kind: 'commitStatus', sha: 'c3' }),
      { repositories: 0, pullRequests: [] },
    ],
    [
      'a status without a commit',
      event({ kind: 'commitStatus' }),
      { repositories: 0, pullRequests: ['waiting'] },
    ],
  ])('returns the repositories and pull requests that an event concerns: %s', (_what, given, expected) => {
    const concerned = concernedBy(given, 'github', [repository], {
      isRequiredRef: (_repository, ref) => ['refs/heads/dev', 'refs/heads/dev-next'].includes(ref),
      pullRequestsOf: () => pullRequests,
    });
    expect({
      repositories: concerned.repositories.length,
      pullRequests: concerned.pullRequests.map(({ metadata }) => metadata.name),
    }).toEqual(expected);
  });
});
