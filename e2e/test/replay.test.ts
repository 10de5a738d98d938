import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { hydratorNotesRef } from '@interlock/git';
import type { LocalRepository } from '@interlock/stack';
import type { PullRequestView } from './support/forge-api.js';
import { HydratedRepository, proposedBranchOf } from './support/hydrated-repository.js';
import { openKeptStack } from './support/kept-stack.js';
import { run } from './support/program.js';
import { removeKept, stackCommand } from './support/stack.js';

const environments = ['development', 'staging', 'production-a', 'production-b'].map(
  (name) => `environments/${name}`,
);
const abandoned = 'environments/preview';
const replayed = 3;
const timeoutMs = 300_000;

let folder: string;
let source: LocalRepository;
let newest: string;
let replay: { code: number | null; stdout: string };
/** The repository at the forge after the replay. */
let result: LocalRepository;
let pullRequests: PullRequestView[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'interlock-e2e-replay-'));
  ({ local: source, newest } = await createHistory(join(folder, 'source.git')));
  const bundle = join(folder, 'deployments.bundle');
  await source.git(['bundle', 'create', '--quiet', bundle, '--all']);
  replay = await run(
    process.execPath,
    stackCommand('--once', '--keep', '--repo', bundle, '--replay', String(replayed)),
    { env: { TMPDIR: folder }, timeoutMs },
  );
  ({ local: result, pullRequests } = await openKeptStack(replay.stdout, folder));
}, timeoutMs);

afterAll(async () => {
  await removeKept();
  await rm(folder, { recursive: true, force: true });
}, timeoutMs);

/*
 * Creates a realistic history of seven dry commits: some do not change production, one was never hydrated, and one
 * promotion was squashed.
 */
async function createHistory(path: string): Promise<{ local: LocalRepository; newest: string }> {
  const repository = await HydratedRepository.create(path);
  const [development = '', staging = '', ...production] = environments;
  const tips = new Map<string, string>();
  const hydrate = async (drySHA: string, among: readonly string[], text: string): Promise<void> => {
    for (const environment of among) {
      tips.set(environment, await repository.hydrate(environment, drySHA, `${environment} ${text}`));
    }
    /* Hydration without changes only updates the note. */
    for (const tip of tips.values()) await repository.note(tip, drySHA);
  };
  const promote = async (among: readonly string[]): Promise<void> => {
    for (const environment of among) await repository.promote(environment);
  };

  const first = await repository.commitDry('Open the shop');
  await hydrate(first, environments, 'tea');
  await promote(environments);
  await repository.hydrate(abandoned, first, 'preview');
  await repository.promote(abandoned);

  await hydrate(await repository.commitDry('Sell cake'), environments, 'tea, cake');
  await promote([development]);
  await repository.squash(staging);
  await promote(production);

  await hydrate(await repository.commitDry('Log more while testing'), [development, staging], 'debug');
  await promote([development, staging]);

  await repository.commitDry('Fix a typing error in a comment');

  await hydrate(await repository.commitDry('Sell coffee'), environments, 'tea, cake, coffee');
  await promote(environments);

  await hydrate(await repository.commitDry('Log still more'), [development, staging], 'debug, trace');
  await promote([development, staging]);

  const newest = await repository.commitDry('Sell bread');
  await hydrate(newest, environments, 'tea, cake, coffee, bread');
  await promote(environments);
  return { local: repository.local, newest };
}

const shown = (format: string, commit: string): Promise<string> =>
  result.git(['show', '-s', `--format=${format}`, commit]);
const trailer = async (key: string, commit: string): Promise<string> =>
  (await shown(`%(trailers:key=${key},valueonly)`, commit)).trim();

/** Returns the commits that the replay put on an environment branch, oldest first. */
async function promotions(environment: string): Promise<string[]> {
  const start = await source.git(['rev-parse', `${environment}~${replayed}`]);
  return result.lines(['rev-list', '--first-parent', '--reverse', `${start}..${environment}`]);
}

test('the replay succeeds and reports the omitted environments', () => {
  expect(replay.stdout).not.toContain('PROBLEM');
  expect(replay.code).toBe(0);
  expect(replay.stdout).toContain(environments.join(' → '));
  expect(replay.stdout).toContain(`no longer hydrated, so not promoted: ${abandoned}`);
});

test.each(environments)('%s has the proposed tree, and is on the newest dry commit', async (environment) => {
  const tree = await result.git(['rev-parse', `${environment}^{tree}`]);
  expect(tree).toBe(await result.git(['rev-parse', `${proposedBranchOf(environment)}^{tree}`]));
  expect(tree).toBe(await source.git(['rev-parse', `${environment}^{tree}`]));
  const file = await result.git(['show', `${environment}:hydrator.metadata`]);
  expect(JSON.parse(file)).toMatchObject({ drySha: newest });
});

test.each(environments)(
  '%s was promoted with merge commits that name their dry commits',
  async (environment) => {
    const merges = await promotions(environment);
    expect(merges.length).toBeGreaterThanOrEqual(1);
    for (const merge of merges) {
      const [, proposed = ''] = (await shown('%P', merge)).split(' ');
      expect(await trailer('Sha-hydrated-proposed', merge)).toBe(proposed);
      const dry = await trailer('Sha-dry-proposed', merge);
      expect(await result.git(['merge-base', '--is-ancestor', dry, 'main'])).toBe('');
      const pullRequest = pullRequests.find(({ merge_commit_sha }) => merge_commit_sha === merge);
      expect(pullRequest?.base.ref).toBe(environment);
      expect(await trailer('Pull-request-id', merge)).toBe(String(pullRequest?.number));
      expect(await trailer('Pull-request-url', merge)).toMatch(
        new RegExp(`/acme/deployments/pull/${pullRequest?.number}$`),
      );
    }
    expect(await trailer('Sha-dry-proposed', merges.at(-1)!)).toBe(newest);
  },
);

test('no environment runs a dry commit before the previous environments', async () => {
  const reached = new Map<string, number>();
  for (const environment of environments) {
    for (const merge of await promotions(environment)) {
      const dry = await trailer('Sha-dry-proposed', merge);
      const at = Number(await shown('%ct', merge));
      expect(at).toBeGreaterThanOrEqual(reached.get(dry) ?? 0);
      reached.set(dry, at);
    }
  }
  expect(reached.size).toBeGreaterThanOrEqual(2);
});

test.each(environments)('%s never had two open pull requests', (environment) => {
  const own = pullRequests.filter(({ base }) => base.ref === environment);
  expect(own.length).toBeGreaterThanOrEqual(1);
  expect(own.filter(({ state }) => state === 'open')).toEqual([]);
  for (const [index, { created_at }] of own.entries()) {
    const before = own[index - 1];
    if (before !== undefined)
      expect(Date.parse(created_at)).toBeGreaterThanOrEqual(Date.parse(before.closed_at!));
  }
});

test('an environment that is no longer hydrated does not change', async () => {
  for (const branch of [abandoned, proposedBranchOf(abandoned)]) {
    expect(await result.git(['rev-parse', branch])).toBe(await source.git(['rev-parse', branch]));
  }
  expect(pullRequests.filter(({ base }) => base.ref === abandoned)).toEqual([]);
});

test('the notes and the dry branch are those of the hydrator', async () => {
  expect(await result.git(['rev-parse', 'main'])).toBe(newest);
  for (const environment of environments) {
    const hydrated = await source.git(['rev-parse', proposedBranchOf(environment)]);
    const note = await result.git(['notes', `--ref=${hydratorNotesRef}`, 'show', hydrated]);
    expect(JSON.parse(note)).toEqual({ drySha: newest });
  }
});
