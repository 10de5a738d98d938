import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ensurePullRequest } from '../ensure.js';
import type { ContractFixture } from '../testing/contract-fixture.js';
import { git } from '../testing/git-user.js';
import { localHarness } from '../testing/local-contract.js';

const run = promisify(execFile);
const base = 'env/dev';
const head = 'env/dev-next';
const harness = localHarness();
let fixture: ContractFixture;
let clone = '';

beforeAll(async () => {
  await harness.start();
  fixture = await harness.open();
  clone = await mkdtemp(join(tmpdir(), 'local-clone-'));
});
afterAll(async () => {
  await fixture.close();
  await harness.stop();
  await rm(clone, { recursive: true, force: true });
});

/** Returns the command of docs/scm.md below the comment that begins with this text. */
async function documented(comment: string): Promise<string> {
  const page = await readFile(new URL('../../../../docs/scm.md', import.meta.url), 'utf8');
  const lines = page.split('\n');
  const at = lines.findIndex((line) => line.startsWith(`# ${comment}`));
  expect(at).toBeGreaterThan(0);
  return lines[at + 1] ?? '';
}

function sh(command: string, cwd: string): Promise<{ stdout: string }> {
  const identity = { name: 'Ann', email: 'ann@example.com' };
  const env = {
    PATH: process.env['PATH'],
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: identity.name,
    GIT_AUTHOR_EMAIL: identity.email,
    GIT_COMMITTER_NAME: identity.name,
    GIT_COMMITTER_EMAIL: identity.email,
  };
  return run('sh', ['-ec', command], { cwd, env });
}

test('supports the documented git commands', async () => {
  const { repository } = fixture;
  const folder = new URL(repository.cloneUrl).pathname;
  const wanted = { head, base, title: 'Promote', body: '' };
  await fixture.commit(base);
  await fixture.commit(head);
  const first = (await ensurePullRequest(repository, wanted)).pullRequest;
  expect((await sh(await documented('See what is open'), folder)).stdout).toContain('"title": "Promote"');

  await git(['clone', '--quiet', folder, clone]);
  await sh(`git checkout --quiet ${base} && git merge --quiet -m 'by hand' origin/${head}`, clone);
  await sh(await documented('Merge number 7'), clone);
  expect(await repository.getPullRequest(first.id)).toMatchObject({ state: 'merged', mergedBy: 'Ann' });

  await fixture.commit(head);
  const second = (await ensurePullRequest(repository, wanted)).pullRequest;
  await sh('git fetch --quiet origin', clone);
  await sh((await documented('Close it')).replaceAll('7', String(second.id)), clone);
  expect(await repository.getPullRequest(second.id)).toMatchObject({
    state: 'closed',
    closedBy: 'Ann',
    headSha: second.headSha,
  });

  await sh(await documented('Open one'), folder);
  expect(await repository.findPullRequests({ head, base, state: 'open' })).toMatchObject([
    { id: 8, head, base },
  ]);
});
