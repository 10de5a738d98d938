import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { closeAll, commit, git, temporaryFolder } from '../testing/forge.js';
import { lsRefs } from './ls-refs.js';

let path: string;

beforeEach(async () => {
  const folder = await temporaryFolder();
  await git(folder, 'init', '--quiet', '--initial-branch=main');
  path = join(folder, '.git');
});
afterEach(closeAll);

function packets(...lines: readonly string[]): string {
  return lines
    .map((line) =>
      /^000[01]$/.test(line) ? line : `${(line.length + 5).toString(16).padStart(4, '0')}${line}\n`,
    )
    .join('');
}

function question(...args: readonly string[]): string {
  return packets('command=ls-refs', 'agent=git/x', 'object-format=sha1', '0001', ...args, '0000');
}

/** Returns the response of git itself. */
function uploadPack(body: string): string {
  const env = { ...process.env, GIT_PROTOCOL: 'version=2' };
  return execFileSync('git', ['upload-pack', '--stateless-rpc', path], {
    env,
    input: body,
    encoding: 'utf8',
    stdio: 'pipe',
  });
}

async function answersLikeGit(body: string): Promise<string> {
  const answer = String(await lsRefs(path, Buffer.from(body)));
  expect(answer).toBe(uploadPack(body));
  return answer;
}

const questions = [
  question(),
  packets('command=ls-refs', '0000'),
  packets('command=ls-refs', '0001', '0000'),
  question('ref-prefix refs/heads/'),
  question('ref-prefix refs/heads/main', 'ref-prefix refs/notes/x'),
  question('ref-prefix refs/tags/'),
  question('ref-prefix refs/heads/environments/d', 'ref-prefix HEAD'),
  question('ref-prefix H', 'ref-prefix refs/remotes'),
  question('ref-prefix absent'),
  question('ref-prefix '),
];

describe('the response to ls-refs equals the response of git for', () => {
  test('no references and an unborn HEAD', async () => {
    for (const each of questions) expect(await answersLikeGit(each)).toBe('0000');
  });

  test('packed, updated, annotated and symbolic references, with a HEAD that is symbolic, detached or unborn', async () => {
    const folder = join(path, '..');
    const one = await commit(folder, { 'a.txt': 'one\n' });
    await git(path, 'branch', 'environments/dev', one);
    await git(path, 'branch', 'environments/dev-next', one);
    await git(path, 'branch', 'main-é', one);
    await git(path, 'tag', '--annotate', '--message=v1', 'v1', one);
    await git(path, 'pack-refs', '--all');
    const two = await commit(folder, { 'a.txt': 'two\n' });
    await git(path, 'update-ref', 'refs/heads/environments/dev', two);
    await git(path, 'update-ref', 'refs/notes/x', one);
    await git(path, 'tag', '--annotate', '--message=v2', 'v2', one);
    await git(path, 'symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/heads/main');
    for (const each of questions) await answersLikeGit(each);
    expect(await answersLikeGit(question())).toContain(`${two} HEAD\n`);
    await git(path, 'update-ref', '--no-deref', 'HEAD', one);
    expect(await answersLikeGit(question('ref-prefix HEAD'))).toContain(`${one} HEAD\n`);
    await git(path, 'symbolic-ref', 'HEAD', 'refs/heads/none');
    for (const each of questions) await answersLikeGit(each);
  });
});

test.each([
  ['another command', packets('command=fetch', '0001', 'done', '0000')],
  ['peeled tags', question('peel')],
  ['symbolic references', question('symrefs', 'unborn')],
  ['an unknown argument', question('ref-suffix x')],
  ['another capability', packets('command=ls-refs', 'object-format=sha256', '0000')],
  ['two requests', `${question()}${question()}`],
  ['no flush packet at the end', question().slice(0, -4)],
  ['a part of a packet', question().slice(0, -6)],
  ['no packets', 'hello, world'],
  ['nothing', ''],
])('a request is left to git: %s', async (_, body) => {
  expect(await lsRefs(path, Buffer.from(body))).toBeUndefined();
});
