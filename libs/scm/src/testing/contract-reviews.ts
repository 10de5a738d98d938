import { expect, test } from '@jest/globals';
import type { PullRequestComment } from '../scm.js';
import { manyCallsMs } from './contract-fixture.js';
import type { Current } from './contract-fixture.js';

const base = 'env/dev';
const head = 'env/dev-next';
const marker = '<!-- interlock-response: 1a2b-3c4d -->';
const comment = { marker, body: `Größe 💡\n\n- a\n- b\n\n${marker}` };

/** Opens a pull request with the plugin. Returns its number. */
async function open(current: Current): Promise<number> {
  await current().commit(base);
  await current().commit(head);
  const { repository, clock } = current();
  return (await clock.run(repository.createPullRequest({ head, base, title: 'Promote', body: '' }))).id;
}

export function reviewerCases(current: Current): void {
  const ask = async (id: number, ...logins: string[]): Promise<boolean | undefined> => {
    const { repository, clock } = current();
    return clock.run(Promise.resolve(repository.ensureReviewers?.(id, logins)));
  };

  test('requests reviewers that are not yet requested, and each of them once', async () => {
    const id = await open(current);
    const { user } = current();
    expect(await ask(id, user)).toBe(true);
    expect(await current().reviewers(id)).toEqual([user]);
    const writes = current().writes();
    expect(await ask(id, user.toUpperCase())).toBe(false);
    expect(await ask(id)).toBe(false);
    expect(current().writes()).toBe(writes);
  });

  test('names an unknown login, and requests the others', async () => {
    const id = await open(current);
    const { user, repository } = current();
    await expect(ask(id, 'nobody-here', user)).rejects.toMatchObject({
      type: 'Invalid',
      reason: 'ReviewerUnknown',
      message: expect.stringContaining('nobody-here'),
    });
    expect(await current().reviewers(id)).toEqual([user]);
    const again = { reason: 'ReviewerUnknown', message: expect.stringContaining(repository.fullName) };
    await expect(ask(id, 'nobody-here', user)).rejects.toMatchObject(again);
  });

  test('skips, requests or names the author, as the SCM does', async () => {
    await current().commit(base);
    await current().commit(head);
    const id = await current().open(head, base);
    const { user } = current();
    const end: unknown = await ask(id, user).catch((error: unknown) => error);
    if (typeof end === 'boolean') {
      expect(await current().reviewers(id)).toEqual(end ? [user] : []);
    } else {
      const named = expect.stringContaining(user);
      expect(end).toMatchObject({ type: 'Invalid', reason: 'ReviewerUnknown', message: named });
    }
  });

  test('reports an absent pull request as NotFound', async () => {
    await expect(ask(999, current().user)).rejects.toMatchObject({ type: 'NotFound' });
  });
}

export function commentCases(current: Current): void {
  const ensure = async (id: number, wanted: PullRequestComment = comment): Promise<boolean | undefined> => {
    const { repository, clock } = current();
    return clock.run(Promise.resolve(repository.ensureComment?.(id, wanted)));
  };

  test('creates a comment once', async () => {
    const id = await open(current);
    await current().comment(id, 'by hand');
    expect(await ensure(id)).toBe(true);
    const writes = current().writes();
    expect(await ensure(id, { ...comment, body: `another text ${marker}` })).toBe(false);
    expect(current().writes()).toBe(writes);
    expect(await current().comments(id)).toEqual(['by hand', comment.body]);
  });

  test('creates a comment once when the response is lost', async () => {
    const id = await open(current);
    current().inject('addComment', 'cut', 1);
    await expect(ensure(id)).rejects.toMatchObject({ type: 'Transient' });
    expect(await ensure(id)).toBe(false);
    expect(await current().comments(id)).toEqual([comment.body]);
  });

  test(
    'finds a comment among more comments than fit on a page',
    async () => {
      const id = await open(current);
      for (let index = 0; index < 101; index++) await current().comment(id, `by hand ${index}`);
      expect(await ensure(id)).toBe(true);
      await current().comment(id, 'and one more');
      expect(await ensure(id)).toBe(false);
      expect((await current().comments(id)).filter((body) => body.includes(marker))).toHaveLength(1);
    },
    manyCallsMs,
  );

  test('reports an absent pull request as NotFound', async () => {
    await expect(ensure(999)).rejects.toMatchObject({ type: 'NotFound' });
  });
}
