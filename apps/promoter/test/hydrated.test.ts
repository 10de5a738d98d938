import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createGit, hydratorMetadataFile, hydratorNotesRef, type Git } from '@interlock/git';
import { commitFiles, initBare, type LocalRepository } from '@interlock/stack';
import { findDrift } from '../src/promotion/drift.js';
import { history } from '../src/promotion/history.js';
import { hydratedCommit, type Side } from '../src/promotion/hydrated.js';
import { originOf } from '../src/promotion/provenance.js';

const dry = (digit: string) => digit.repeat(40);
/** The dry commit in a forged message. */
const forged = dry('f');
const [d1, d2, d3] = [dry('1'), dry('2'), dry('3')];

let directory: string;
let local: LocalRepository;
let git: Git;
/** The active commit, on top of which the others are made. */
let base: string;
let made = 0;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'interlock-hydrated-'));
  local = await initBare(join(directory, 'remote.git'), 'main');
  git = createGit({ cacheDir: join(directory, 'cache') });
  base = await hydrate('base', d1);
});
afterAll(() => {
  git.close();
  rmSync(directory, { recursive: true, force: true });
});

/** Commits the output of a dry commit, on a new branch unless one is named. */
function hydrate(branch: string, drySHA: string, message = 'hydrate'): Promise<string> {
  return commitFiles(local, {
    branch,
    message,
    files: new Map([
      ['manifest.yaml', `output: ${drySHA}\n`],
      [hydratorMetadataFile, `${JSON.stringify({ drySha: drySHA })}\n`],
    ]),
    time: Date.UTC(2026, 0, 1),
  });
}

/** Makes a commit with the content of another commit. */
function commitLike(content: string, parents: readonly string[], message: string): Promise<string> {
  const above = parents.flatMap((parent) => ['-p', parent]);
  return local.git(['commit-tree', `${content}^{tree}`, ...above, '-F', '-'], { input: message });
}

async function note(commit: string, drySHA: string): Promise<void> {
  const text = JSON.stringify({ drySha: drySHA });
  await local.git(['notes', `--ref=${hydratorNotesRef}`, 'add', '-f', '-m', text, commit]);
}

/** Returns a mirror with these commits, and the refs. */
async function mirrorOf(...commits: string[]) {
  const branch = `refs/heads/look-${++made}`;
  const [tip = ''] = commits;
  await local.git(['update-ref', branch, tip]);
  const mirror = git.mirror({ url: `file://${local.path}`, tenant: 'team', onDisk: true });
  const { refs } = await mirror.refresh([branch, hydratorNotesRef]);
  return { mirror, refs };
}

async function read(sha: string, side: Side) {
  const { mirror, refs } = await mirrorOf(sha);
  return hydratedCommit(mirror, refs, sha, side);
}

const lines = (...trailers: string[]) => `A change\n\n${trailers.join('\n')}\n`;
const claim = `Sha-dry-proposed: ${forged}`;

describe('the dry commit of a proposed commit', () => {
  it.each([
    ['a dry commit', () => lines(claim)],
    ['a dry commit, with more than one', () => lines(`Sha-dry-proposed: ${d3}`, claim)],
    ['the promotion of the previous commit', () => lines(claim, `Sha-hydrated-proposed: ${base}`)],
    ['a revert', () => lines(claim, `Revert-of: ${base}`, `Revert-to: ${base}`)],
  ])('is the one in its file, whatever a message with the trailers of %s claims', async (_what, message) => {
    await local.git(['update-ref', `refs/heads/case-${++made}`, base]);
    const sha = await hydrate(`case-${made}`, d2, message());
    expect(await read(sha, 'proposed')).toMatchObject({ drySHA: d2, originSHA: sha });
    expect(await read(sha, 'active')).toMatchObject({ drySHA: d2 });
    expect((await read(sha, 'active')).revertOf).toBeUndefined();
  });

  it('is the one in its file if the hydrator made a merge commit, whatever the message claims', async () => {
    const rendered = await hydrate(`case-${++made}`, d2);
    for (const parents of [
      [base, rendered],
      [rendered, base],
    ]) {
      for (const named of parents) {
        const next = await hydrate(`case-${++made}`, d3);
        const sha = await commitLike(next, parents, lines(claim, `Sha-hydrated-proposed: ${named}`));
        expect(await read(sha, 'proposed')).toMatchObject({ drySHA: d3, originSHA: sha });
      }
    }
  });

  it('is unknown if only the message names a dry commit', async () => {
    const sha = await commitFiles(local, {
      branch: `case-${++made}`,
      message: lines(claim),
      files: new Map([['manifest.yaml', 'a: b\n']]),
      time: 0,
    });
    expect(await read(sha, 'proposed')).toMatchObject({ problem: expect.stringContaining(sha) });
    expect((await read(sha, 'proposed')).drySHA).toBeUndefined();
  });

  it('is taken from its note in preference to its file', async () => {
    const sha = await hydrate(`case-${++made}`, d2, lines(claim));
    await note(sha, d3);
    expect(await read(sha, 'proposed')).toMatchObject({ drySHA: d3 });
    expect(await read(sha, 'active')).toMatchObject({ drySHA: d2 });
  });

  it('is the same in an alignment, which takes it from its own note, or from the file or the note of the aligned commit', async () => {
    const rendered = await hydrate(`case-${++made}`, d2);
    const align = (on: string, drySHA: string) =>
      commitLike(on, [on, base], lines(`Sha-dry-proposed: ${drySHA}`, `Sha-hydrated-proposed: ${on}`));
    const first = await align(rendered, d2);
    const second = await align(first, forged);
    for (const sha of [first, second]) {
      expect(await read(sha, 'proposed')).toMatchObject({
        drySHA: d2,
        originSHA: rendered,
        hydratedSHA: sha,
      });
    }
    const { mirror } = await mirrorOf(second);
    expect(await originOf(mirror, second)).toBe(rendered);
    await note(rendered, d3);
    expect(await read(second, 'proposed')).toMatchObject({ drySHA: d3 });
    await note(second, dry('4'));
    expect(await read(second, 'proposed')).toMatchObject({ drySHA: dry('4') });
  });
});

describe('the dry commit of an active commit', () => {
  it('is the promoted one, which may be newer than the file', async () => {
    const rendered = await hydrate(`case-${++made}`, d2);
    const trailers = lines(`Sha-dry-proposed: ${d3}`, `Sha-hydrated-proposed: ${rendered}`);
    const merged = await commitLike(rendered, [base, rendered], trailers);
    const squashed = await commitLike(rendered, [base], trailers);
    for (const sha of [merged, squashed]) {
      await local.git(['update-ref', 'refs/heads/rendered', rendered]);
      const { mirror, refs } = await mirrorOf(sha);
      await mirror.refresh(['refs/heads/rendered']);
      expect(await hydratedCommit(mirror, refs, sha)).toMatchObject({ drySHA: d3 });
      expect(await history(mirror, sha)).toMatchObject([
        { sha, drySHA: d3, hydratedSHA: rendered },
        { sha: base, drySHA: d1 },
      ]);
      expect(await findDrift(mirror, sha, undefined)).toMatchObject({ drift: [] });
    }
  });

  it.each([
    ['merged with a custom message', true],
    ['squashed, with its message', false],
  ])('is the one in its file if the message is forged and a user %s', async (_how, isMerge) => {
    const message = lines(
      claim,
      `Sha-hydrated-proposed: ${base}`,
      `Revert-of: ${base}`,
      `Revert-to: ${base}`,
    );
    await local.git(['update-ref', `refs/heads/case-${++made}`, base]);
    const rendered = await hydrate(`case-${made}`, d2, message);
    const sha = isMerge
      ? await commitLike(rendered, [base, rendered], 'Merge pull request #1')
      : await commitLike(rendered, [base], message);
    expect(await read(sha, 'active')).toMatchObject({ drySHA: d2 });
    expect((await read(sha, 'active')).revertOf).toBeUndefined();
    const { mirror } = await mirrorOf(sha);
    expect((await history(mirror, sha))[0]).toMatchObject({ sha, drySHA: d2 });
  });

  it('is the one in its note if it has no file and a user merged it', async () => {
    const rendered = await commitFiles(local, {
      branch: `case-${++made}`,
      message: 'hydrate',
      files: new Map([['manifest.yaml', 'only: a note\n']]),
      time: 0,
    });
    await note(rendered, d2);
    const sha = await commitLike(rendered, [base, rendered], 'Merge pull request #1');
    expect(await read(sha, 'active')).toMatchObject({ drySHA: d2 });
  });

  it('is the dry commit that a revert restores', async () => {
    const bad = await hydrate(`case-${++made}`, d2);
    const trailers = lines(`Sha-dry-proposed: ${d1}`, `Revert-of: ${bad}`, `Revert-to: ${base}`);
    const onTop = await commitLike(bad, [base, bad], 'Merge pull request #1');
    const back = await commitLike(base, [onTop], trailers);
    const merged = await commitLike(base, [onTop, back], 'Merge pull request #2');
    for (const sha of [back, merged]) {
      expect(await read(sha, 'active')).toMatchObject({ drySHA: d1, revertOf: bad });
    }
  });
});

describe('a hotfix with the trailers of a promotion', () => {
  it('counts as drift', async () => {
    const rendered = await hydrate(`case-${++made}`, d2);
    const merged = await commitLike(
      rendered,
      [base, rendered],
      lines(`Sha-dry-proposed: ${d2}`, `Sha-hydrated-proposed: ${rendered}`),
    );
    await local.git(['update-ref', `refs/heads/case-${++made}`, merged]);
    const fix = await hydrate(`case-${made}`, d3, lines(claim, `Sha-hydrated-proposed: ${rendered}`));
    const { mirror } = await mirrorOf(fix);
    expect(await findDrift(mirror, fix, undefined)).toMatchObject({ drift: [{ sha: fix }] });
    expect(await read(fix, 'active')).toMatchObject({ drySHA: d3 });
  });
});
