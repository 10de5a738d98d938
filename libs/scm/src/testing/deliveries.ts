import { expect } from '@jest/globals';
import type { WebhookEvent } from '../webhook.js';
import type { ContractFixture } from './contract-fixture.js';

/** Pushes, opens a pull request, pushes to it and closes it, and expects the events that an SCM delivers about that. */
export async function expectPushesAndPullRequests(
  fixture: ContractFixture,
  delivered: () => Promise<WebhookEvent[]>,
): Promise<void> {
  const base = await fixture.commit('env/dev');
  const head = await fixture.commit('env/dev-next');
  const pullRequest = await fixture.open('env/dev-next', 'env/dev');
  const moved = await fixture.commit('env/dev-next');
  await fixture.closePullRequest(pullRequest);
  const events = await delivered();
  const refs = events.filter(({ kind }) => kind === 'push').flatMap((event) => event.refs);
  expect(refs).toEqual(
    expect.arrayContaining([
      { ref: 'refs/heads/env/dev', before: undefined, after: base },
      { ref: 'refs/heads/env/dev-next', before: undefined, after: head },
      { ref: 'refs/heads/env/dev-next', before: head, after: moved },
    ]),
  );
  const pulls = events.filter(({ kind }) => kind === 'pullRequest');
  expect(pulls.map(({ sha }) => sha)).toEqual(expect.arrayContaining([head, moved]));
  for (const event of pulls) expect(event).toMatchObject({ pullRequest, delivery: expect.any(String) });
}
