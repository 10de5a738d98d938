import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { LocalRepository } from '@interlock/stack';
import type { PullRequestView } from './support/forge-api.js';
import { HydratedRepository, proposedBranchOf } from './support/hydrated-repository.js';
import { openKeptStack } from './support/kept-stack.js';
import { run } from './support/program.js';
import { removeKept, stackBundle, stackCommand } from './support/stack.js';

const [dev, failing, prod] = ['environments/dev', 'environments/test', 'environments/prod'] as const;
const timeoutMs = 300_000;

let folder: string;
let demo: { code: number | null; stdout: string };
/** The repository at the forge after the scenario. */
let local: LocalRepository;
let pullRequests: PullRequestView[];
/** The commit that reverted the failing environment, and the reverted commit. */
let revert: string;
let unwanted: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'interlock-e2e-revert-'));
  demo = await run(process.execPath, stackCommand('--once', '--keep', '--scenario', 'revert'), {
    env: { TMPDIR: folder },
    timeoutMs,
  });
  ({ local, pullRequests } = await openKeptStack(demo.stdout, folder));
  const reverts: string[] = [];
  for (const sha of await local.lines(['rev-list', '--first-parent', failing])) {
    if ((await trailer('Revert-of', sha)) !== '') reverts.push(sha);
  }
  expect(reverts).toHaveLength(1);
  [revert = ''] = reverts;
  unwanted = await trailer('Revert-of', revert);
}, timeoutMs);

afterAll(async () => {
  await removeKept();
  await rm(folder, { recursive: true, force: true });
}, timeoutMs);

const trailer = async (key: string, commit: string): Promise<string> =>
  (await local.git(['show', '-s', `--format=%(trailers:key=${key},valueonly)`, commit])).trim();
const treeOf = (commit: string): Promise<string> => local.git(['rev-parse', `${commit}^{tree}`]);

test('the scenario succeeds, and a restart makes no write', () => {
  expect(demo.stdout).not.toContain('PROBLEM');
  expect(demo.stdout).toContain('Every environment runs the newest dry commit.');
  expect(demo.stdout).toContain('After a restart of the apps: 0 writes at the forge.');
  expect(demo.code).toBe(0);
});

test('the failing environment returns to exactly its previous tree, and reports it', async () => {
  const [before, bad, after] = [await treeOf(`${unwanted}^1`), await treeOf(unwanted), await treeOf(revert)];
  expect(after).toBe(before);
  expect(bad).not.toBe(before);
  expect(await local.git(['diff', '--raw', `${unwanted}^1`, revert])).toBe('');
  const printed = [...demo.stdout.matchAll(/git: tree of environments\/test .*?([0-9a-f]{40}) /g)];
  expect(printed.map(([, tree]) => tree)).toEqual([before, bad, after]);
});

test('the bad change is reverted with one merge of one commit on top of it, never by force', async () => {
  const proposed = pullRequests.filter(({ head }) => head.ref.startsWith('interlock/'));
  const branch = `interlock/revert/${failing}-${unwanted.slice(0, 7)}`;
  expect(proposed).toMatchObject([
    { head: { ref: branch }, base: { ref: failing }, merge_commit_sha: revert, state: 'closed' },
  ]);
  const commit = await local.git(['rev-parse', branch]);
  expect(await local.git(['show', '-s', '--format=%P', revert])).toBe(`${unwanted} ${commit}`);
  expect(await local.git(['show', '-s', '--format=%P', commit])).toBe(unwanted);
});

test('the next environment never ran the bad change, but the previous one did', async () => {
  const bad = await trailer('Sha-dry-active', revert);
  const ran = async (branch: string): Promise<string[]> => {
    const log = [
      'log',
      '--first-parent',
      '--format=%(trailers:key=Sha-dry-proposed,valueonly,separator=%x2C)',
    ];
    return local.lines([...log, branch]);
  };
  expect(await ran(dev)).toContain(bad);
  expect(await ran(failing)).toContain(bad);
  expect(await ran(prod)).not.toContain(bad);
  expect(demo.stdout).toContain(`git: ${prod} never ran ${bad}`);
});

test.each([dev, failing, prod])('%s runs the change after the revert', async (branch) => {
  expect(await trailer('Sha-dry-proposed', branch)).toBe(await local.git(['rev-parse', 'main']));
  expect(await treeOf(branch)).toBe(await treeOf(proposedBranchOf(branch)));
});

test('a repository with one environment is refused with the reason', async () => {
  const repository = await HydratedRepository.create(join(folder, 'one.git'));
  for (const subject of ['Open the shop', 'Sell cake']) {
    await repository.hydrate(dev, await repository.commitDry(subject), subject);
    await repository.promote(dev);
  }
  const args = ['--once', '--scenario', 'revert', '--repo', join(folder, 'one.git')];
  const { code, stdout } = await run(process.execPath, [stackBundle, ...args], { env: { TMPDIR: folder } });
  expect(code).toBe(1);
  expect(stdout).toMatch(/^FAILED: the scenario revert needs at least two environments/m);
});
