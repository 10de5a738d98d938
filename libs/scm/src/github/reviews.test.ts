import { afterEach, expect, test } from '@jest/globals';
import type { ScriptedAnswer } from '../testing/scripted-server.js';
import { openScriptedFixture, type ScriptedFixture } from '../testing/scripted-fixture.js';
import { githubPlugin } from './plugin.js';

const collaborators =
  'Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of the acme/web repository.';
const refused = (message: string): ScriptedAnswer => ({ status: 422, body: { message } });

let fixture: ScriptedFixture | undefined;
afterEach(() => fixture?.close());

/** Returns a pull request by bot: amy and the team infra are requested, and bob has reviewed. */
async function connect(request: (body: Record<string, string[]>) => ScriptedAnswer) {
  const opened = await openScriptedFixture(
    ({ method, path, body }) => {
      if (method === 'POST') return request(JSON.parse(body) as Record<string, string[]>);
      if (path.endsWith('/reviews')) return { body: [{ user: { login: 'bob' } }, { user: null }] };
      const [user, users, teams] = [{ login: 'bot' }, [{ login: 'amy' }], [{ slug: 'infra' }]];
      return { body: { user, requested_reviewers: users, requested_teams: teams } };
    },
    { plugin: githubPlugin, repository: { owner: 'Acme', name: 'web' }, secret: { token: 'ghp_1' } },
  );
  fixture = opened;
  return {
    ask: (...logins: string[]) =>
      opened.clock.run(Promise.resolve(opened.repository.ensureReviewers?.(7, logins))),
    asked: () => opened.server.seen.filter(({ method }) => method === 'POST').map(({ body }) => body),
  };
}

test('skips the author, requested reviewers, and users who have reviewed', async () => {
  const { ask, asked } = await connect(() => ({ status: 201, body: {} }));
  expect(await ask('BOT', 'Amy', 'bob', 'acme/Infra')).toBe(false);
  expect(asked()).toEqual([]);
});

test('requests users and teams in one request, and each of them once', async () => {
  const { ask, asked } = await connect(() => ({ status: 201, body: {} }));
  expect(await ask('amy', 'cat', 'CAT', 'dan', 'acme/security')).toBe(true);
  expect(asked()).toEqual([JSON.stringify({ reviewers: ['CAT', 'dan'], team_reviewers: ['security'] })]);
});

test('finds the reviewers that GitHub refuses by requesting them one by one', async () => {
  const known = ['dan', 'security'];
  const { ask, asked } = await connect(({ reviewers = [], team_reviewers: teams = [] }) =>
    [...reviewers, ...teams].every((name) => known.includes(name))
      ? { status: 201, body: {} }
      : refused(teams.length > 0 ? 'Could not resolve to a node with the global id' : collaborators),
  );
  await expect(ask('cat', 'dan', 'acme/security', 'acme/none', 'other/security')).rejects.toMatchObject({
    type: 'Invalid',
    reason: 'ReviewerUnknown',
    message: expect.stringMatching(/Acme\/web: .*: cat, acme\/none, other\/security$/),
  });
  expect(asked()).toContain(JSON.stringify({ reviewers: ['dan'], team_reviewers: [] }));
  expect(asked()).toContain(JSON.stringify({ reviewers: [], team_reviewers: ['security'] }));
});

test('does not treat another refusal as the refusal of a reviewer', async () => {
  const { ask, asked } = await connect(() => refused('Validation Failed'));
  await expect(ask('cat', 'dan')).rejects.toMatchObject({ type: 'Invalid', reason: 'Invalid' });
  expect(asked()).toHaveLength(1);
});
