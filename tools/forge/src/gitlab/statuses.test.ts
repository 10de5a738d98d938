import { afterEach, describe, expect, test } from '@jest/globals';
import { closeAll, commit, git } from '../testing/forge.js';
import { gitlabSandbox } from '../testing/gitlab.js';

afterEach(closeAll);

async function prepared() {
  const base = await gitlabSandbox();
  const sha = await git(base.clone, 'rev-parse', 'feature');
  const post = (state: string, more: object = {}, token = base.tokens.write) =>
    base.ask('POST', `${base.project}/statuses/${sha}`, { state, name: 'gate', ...more }, { token });
  const list = async (query = '') =>
    (await base.ask('GET', `${base.project}/repository/commits/${sha}/statuses${query}`)).body;
  return { ...base, sha, post, list };
}

describe('a status', () => {
  const unfinished = ['pending', 'running'];
  const states = [...unfinished, 'success', 'failed', 'canceled'];
  /** The transitions of an unfinished status that GitLab refuses, with their events. */
  const refused: Record<string, string> = {
    'pending pending': 'enqueue',
    'running pending': 'enqueue',
    'running running': 'run',
  };
  const pairs = states.flatMap((from) => states.map((to) => [from, to] as const));

  test.each(pairs)('is set from %s to %s as GitLab does it', async (from, to) => {
    const { post, list } = await prepared();
    const { body: first } = await post(from, { description: 'one' });
    const answer = await post(to, { description: 'two' });
    const event = refused[`${from} ${to}`];
    if (event !== undefined) {
      const message = `Cannot transition status via :${event} from :${from} (Reason(s): Status cannot transition via "${event}")`;
      expect(answer).toMatchObject({ status: 400, body: { message } });
      expect(await list()).toMatchObject([{ status: from, description: 'one' }]);
      return;
    }
    expect(answer).toMatchObject({ status: 201, body: { status: to, description: 'two', ref: 'feature' } });
    expect(await list()).toEqual([answer.body]);
    const changed = (answer.body as { id: number }).id === (first as { id: number }).id;
    expect(changed).toBe(unfinished.includes(from));
    expect(await list('?all=true')).toHaveLength(changed ? 1 : 2);
  });

  test('of another user is not changed, but followed by a new status', async () => {
    const { post, list, tokens } = await prepared();
    await post('pending');
    expect((await post('pending', {}, tokens.admin)).status).toBe(201);
    expect(await list('?all=true')).toMatchObject([
      { author: { username: 'dev' } },
      { author: { username: 'mo' } },
    ]);
  });

  test.each([
    ['with an invalid state', { state: 'done' }, 400, { error: 'state is invalid' }],
    [
      'with an invalid link',
      { target_url: 'javascript:x' },
      400,
      { message: { target_url: [expect.any(String)] } },
    ],
    ['with a long link', { target_url: `https://x/${'x'.repeat(255)}` }, 400, { message: expect.anything() }],
  ])('%s is refused', async (_, more, status, body) => {
    const { post } = await prepared();
    expect(await post('pending', more)).toMatchObject({ status, body });
  });

  test('of a missing commit, or of a commit on no branch, is refused', async () => {
    const { ask, project, clone } = await prepared();
    const state = { state: 'success' };
    expect(await ask('POST', `${project}/statuses/${'a'.repeat(40)}`, state)).toMatchObject({
      status: 404,
      body: { message: '404 Commit Not Found' },
    });
    const sha = await commit(clone, { 'x.txt': 'x' });
    await git(clone, 'push', '--quiet', 'origin', 'HEAD:refs/tags/loose');
    expect(await ask('POST', `${project}/statuses/${sha}`, state)).toMatchObject({
      status: 404,
      body: { message: '404 References for commit Not Found' },
    });
  });

  test('is refused to users with read access only', async () => {
    const { post, tokens, list } = await prepared();
    expect((await post('success', {}, tokens.read)).status).toBe(403);
    expect(await list()).toEqual([]);
  });
});
