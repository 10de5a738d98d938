import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createGit, type Git, type Mirror } from './index.js';
import { Sandbox, type TestRemote } from './testing/sandbox.js';

const DEV = 'refs/heads/dev';
const NOTES = 'refs/notes/hydrator.metadata';

let sandbox: Sandbox;
let remote: TestRemote;
let git: Git;
let mirror: Mirror;

beforeEach(() => {
  sandbox = new Sandbox();
  remote = sandbox.remote();
  git = createGit({ cacheDir: sandbox.cacheDir, transports: ['file'], gitPath: sandbox.gitWrapper() });
  mirror = git.mirror({ url: remote.url, tenant: 't' });
});

afterEach(() => {
  git.close();
  sandbox.remove();
});

async function notesCommit(): Promise<string> {
  return (await mirror.refresh([DEV, NOTES])).refs.get(NOTES) ?? '';
}

test('reads a note, and the one that replaces it', async () => {
  const sha = remote.commit(DEV, { a: '1' });
  const other = remote.commit(DEV, { a: '2' });
  remote.note(NOTES, sha, 'first');
  const before = await notesCommit();
  expect(await mirror.note(before, sha)).toBe('first\n');
  expect(await mirror.note(before, other)).toBeUndefined();

  remote.note(NOTES, sha, 'second');
  const after = await notesCommit();
  expect(await mirror.note(after, sha)).toBe('second\n');
  expect(await mirror.note(before, sha)).toBe('first\n');

  sandbox.processes();
  await mirror.note(after, sha);
  expect(sandbox.processes()).toEqual([]);
});

test.each([0, 1, 2, 3])('reads a notes tree with %i levels of folders', async (levels) => {
  const objects = [
    remote.commit(DEV, { a: '1' }),
    remote.commit(DEV, { a: '2' }),
    remote.commit(DEV, { a: '3' }),
  ];
  const path = (id: string) => {
    const folders = Array.from({ length: levels }, (_, level) => id.slice(level * 2, level * 2 + 2));
    return [...folders, id.slice(levels * 2)].join('/');
  };
  remote.commit(NOTES, Object.fromEntries(objects.slice(0, 2).map((id) => [path(id), `note on ${id}`])));
  const notes = await notesCommit();
  // The shape is one that git itself reads.
  expect(remote.git(['notes', '--ref', NOTES, 'show', objects[0]!])).toBe(`note on ${objects[0]}`);
  expect(await mirror.note(notes, objects[0]!)).toBe(`note on ${objects[0]}`);
  expect(await mirror.note(notes, objects[1]!)).toBe(`note on ${objects[1]}`);
  expect(await mirror.note(notes, objects[2]!)).toBeUndefined();
});

test('reads the fan-out that git makes for many notes', async () => {
  const sha = remote.commit(DEV, { a: '1' });
  const numbers = Array.from({ length: 600 }, (_, index) => index + 1);
  const by = 'committer G <g@e> 1700000000 +0000\ndata <<E\ntext\nE\n';
  const commits = numbers.map((n) => `commit refs/heads/many\nmark :${n}\n${by}`);
  const notesOn = numbers.map((n) => `N inline :${n}\ndata <<E\nnote ${n}\nE\n`);
  remote.git(['fast-import', '--quiet'], [...commits, `commit ${NOTES}\n${by}`, ...notesOn].join(''));
  expect(remote.git(['ls-tree', '--name-only', NOTES]).split('\n')[0]).toHaveLength(2);

  const notes = await notesCommit();
  expect(await mirror.note(notes, remote.git(['rev-parse', 'refs/heads/many~558']))).toBe('note 42\n');
  expect(await mirror.note(notes, sha)).toBeUndefined();
});
