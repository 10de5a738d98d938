import { expect, test } from '@jest/globals';
import type { ScriptedAnswer, SeenRequest } from '../testing/scripted-server.js';
import { useScriptedFixtures } from '../testing/scripted-fixture.js';
import { githubPlugin } from './plugin.js';

const headSha = 'a'.repeat(40);
const connect = useScriptedFixtures({
  plugin: githubPlugin,
  repository: { owner: 'acme', name: 'web' },
  secret: { token: 'ghp_1' },
});

/** Answers as GitHub does for a branch whose merge queue does not contain the pull request. */
function answer({ method, body }: SeenRequest): ScriptedAnswer {
  if (method === 'PUT') {
    return { status: 405, body: { message: 'Changes must be made through the merge queue' } };
  }
  if (body.includes('mutation')) {
    return { body: { data: { enqueuePullRequest: { mergeQueueEntry: { position: 1, state: 'QUEUED' } } } } };
  }
  const pullRequest = { id: 'PR_7', isInMergeQueue: false, mergeQueueEntry: null };
  return { body: { data: { repository: { pullRequest } } } };
}

test('adds the evaluated head to a merge queue, even if the head moves before the request', async () => {
  const { server, repository, clock } = await connect(answer);
  const merge = { base: 'main', headSha, method: 'merge' } as const;
  expect(await clock.run(repository.mergePullRequest(7, merge))).toEqual({
    queued: expect.stringContaining('merge queue of main'),
  });
  const [asked, , entered] = server.seen.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  expect(asked).toMatchObject({ sha: headSha });
  expect(entered).toMatchObject({
    variables: { input: { pullRequestId: 'PR_7', expectedHeadOid: headSha } },
  });
});
