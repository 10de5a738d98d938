import { afterEach, expect, test } from '@jest/globals';
import { closeAll, refusal, sandbox, userClient } from '../testing/forge.js';

afterEach(closeAll);

/** Returns a pull request of the App, and two users who may review it. */
async function opened() {
  const base = await sandbox();
  const { bot, at, forge } = base;
  await bot.rest.pulls.create({ ...at, title: 'Feature', head: 'feature', base: 'main' });
  const people = await Promise.all(['grace', 'ada'].map((login) => forge.createUser({ login })));
  for (const { login } of people) await forge.grant({ owner: 'acme', name: 'web', login, role: 'write' });
  const pull = { ...at, pull_number: 1 };
  const asked = async () =>
    (await bot.rest.pulls.listRequestedReviewers(pull)).data.users.map(({ login }) => login);
  const request = (...reviewers: string[]) => bot.rest.pulls.requestReviewers({ ...pull, reviewers });
  const clients = people.map(({ token }) => userClient(forge, token));
  return { ...base, pull, asked, request, clients };
}

test('reviews of collaborators can be requested, with case-insensitive names', async () => {
  const { asked, request } = await opened();
  const { status, data } = await request('GRACE');
  expect(status).toBe(201);
  expect(data.requested_reviewers?.map(({ login }) => login)).toEqual(['grace']);
  await request('grace', 'ada', 'acme');
  expect(await asked()).toEqual(['grace', 'ada', 'acme']);
});

test('all reviewers are refused if one is not a collaborator', async () => {
  const { bot, forge, pull, asked, request } = await opened();
  await forge.createUser({ login: 'stranger' });
  for (const login of ['nobody', 'stranger', 'acme-2']) {
    const { status, message } = await refusal(request('grace', login));
    expect(status).toBe(422);
    expect(message).toMatch(
      /^Reviews may only be requested from collaborators\. .* of the acme\/web repository\.$/,
    );
  }
  const teams = bot.rest.pulls.requestReviewers({ ...pull, team_reviewers: ['reviewers'] });
  expect((await refusal(teams)).status).toBe(422);
  expect(await asked()).toEqual([]);
});

test('the author can neither be requested nor approve', async () => {
  const { octokit, at, bot } = await opened();
  const { object } = (await bot.rest.git.getRef({ ...at, ref: 'heads/feature' })).data;
  await bot.rest.git.createRef({ ...at, ref: 'refs/heads/second', sha: object.sha });
  const { data } = await octokit.rest.pulls.create({ ...at, title: 'Mine', head: 'second', base: 'main' });
  const pull = { ...at, pull_number: data.number };
  const request = octokit.rest.pulls.requestReviewers({ ...pull, reviewers: ['acme'] });
  expect(await refusal(request)).toMatchObject({
    status: 422,
    message: 'Review cannot be requested from pull request author.',
  });
  expect((await refusal(octokit.rest.pulls.createReview({ ...pull, event: 'APPROVE' }))).status).toBe(422);
});

test('a user who has reviewed is no longer requested', async () => {
  const { bot, pull, asked, request, clients } = await opened();
  await request('grace', 'ada');
  await clients[0]?.rest.pulls.createReview({ ...pull, event: 'APPROVE' });
  expect(await asked()).toEqual(['ada']);
  const { data } = await bot.rest.pulls.listReviews(pull);
  expect(data.map(({ user, state, body }) => [user?.login, state, body])).toEqual([
    ['grace', 'APPROVED', ''],
  ]);
  await request('grace');
  expect(await asked()).toEqual(['ada', 'grace']);
});
