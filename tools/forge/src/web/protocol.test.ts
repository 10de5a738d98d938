import { afterEach, expect, test } from '@jest/globals';
import { request } from 'undici';
import { closeAll, git, sandbox } from '../testing/forge.js';

afterEach(closeAll);

async function read(url: string): Promise<{ status: number; text: string; policy: unknown }> {
  const { statusCode, body, headers } = await request(url);
  return { status: statusCode, text: await body.text(), policy: headers['content-security-policy'] };
}

test('a pull request is shown with escaped texts', async () => {
  const { forge, bot, at, clone, repository } = await sandbox();
  const title = '<script>alert(1)</script>';
  const { data } = await bot.rest.pulls.create({
    ...at,
    title,
    head: 'feature',
    base: 'main',
    body: '"a" & <b>',
  });
  const sha = data.head.sha;
  const status = { ...at, sha, state: 'failure' as const, description: 'Down' };
  await bot.rest.repos.createCommitStatus({
    ...status,
    context: 'health',
    target_url: 'https://example.com/<y>',
  });
  await bot.rest.checks.create({ ...at, name: 'gate', head_sha: sha, details_url: 'https://example.com/x' });
  const open = await read(data.html_url);
  expect(open.status).toBe(200);
  expect(open.policy).toContain("default-src 'none'");
  for (const text of [
    '&lt;script&gt;alert(1)&lt;/script&gt;',
    '&quot;a&quot; &amp; &lt;b&gt;',
    '<span class="state open">open</span>',
    'health',
    'Down',
    '<a href="https://example.com/x"',
    '<a href="https://example.com/&lt;y&gt;"',
    'change of feature',
    '<code>feature.txt</code>',
  ]) {
    expect(open.text).toContain(text);
  }
  expect(open.text).not.toContain('<script');
  await bot.rest.pulls.merge({ ...at, pull_number: 1 });
  expect((await read(data.html_url)).text).toMatch(/merged as .* by interlock\[bot\]/);

  const home = await read(repository.htmlUrl);
  expect(home.text).toContain('href="/acme/web/pull/1"');
  expect((await read(forge.url)).text).toContain('href="/acme/web"');
  const main = await git(clone, 'rev-parse', 'feature');
  expect((await read(`${repository.htmlUrl}/commit/${main}`)).text).toContain('change of feature');
  expect((await read(`${repository.htmlUrl}/tree/feature`)).text).toContain(main);
});

test.each(['/none/none', '/acme/web/pull/7', '/acme/web/tree/none', '/acme/web/commit/0000000', '/a/b/c/d'])(
  '%s does not exist',
  async (path) => {
    const { forge } = await sandbox();
    expect(await read(`${forge.url}${path}`)).toMatchObject({ status: 404 });
  },
);
