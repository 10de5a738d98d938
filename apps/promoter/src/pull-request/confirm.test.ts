import { expect, it } from '@jest/globals';
import type { Client } from '@interlock/kube';
import type { RepositoryView } from '../repository/repositories.js';
import { confirmMerge } from './confirm.js';
import { head, now, pullRequest } from './testing/builders.js';

it.each([
  ['confirms a required merge', false, undefined],
  ['refuses the merge of a pull request that is being deleted', true, 'Withdrawn'],
])('%s', async (_, deleted, reason) => {
  const required = { merge: { sha: head, message: 'm', method: 'merge' } } as const;
  const stored = pullRequest({ spec: required, deleted });
  const client = { get: () => Promise.resolve(stored) } as unknown as Pick<Client, 'get' | 'list'>;
  const reads = { client, registry: { remoteOf: () => undefined } };
  const problem = await confirmMerge(reads, {} as RepositoryView, stored, head, now);
  expect(problem?.reason).toBe(reason);
});
