import { expect, test } from '@jest/globals';
import { useMirror } from './testing/use-git.js';

const dev = 'refs/heads/dev';
const notesRef = 'refs/notes/hydrator.metadata';

const given = useMirror();

async function notesCommit(): Promise<string> {
  return (await given.mirror.refresh([dev, notesRef])).refs.get(notesRef) ?? '';
}

test('reads a note, and the note that replaces it', async () => {
  const sha = given.remote.commit(dev, { a: '1' });
  const other = given.remote.commit(dev, { a: '2' });
  given.remote.note(notesRef, sha, 'first');
  const before = await notesCommit();
  expect(await given.mirror.note(before, sha)).toBe('first\n');
  expect(await given.mirror.note(before, other)).toBeUndefined();

  given.remote.note(notesRef, sha, 'second');
  const after = await notesCommit();
  expect(await given.mirror.note(after, sha)).toBe('second\n');
  expect(await given.mirror.note(before, sha)).toBe('first\n');

  given.sandbox.processes();
  await given.mirror.note(after, sha);
  expect(given.sandbox.processes()).toEqual([]);
});

test.each([0, 1, 2, 3])('reads a notes tree with %i levels of folders', async (levels) => {
  const objects = [
    given.remote.commit(dev, { a: '1' }),
    given.remote.commit(dev, { a: '2' }),
    given.remote.commit(dev, { a: '3' }),
  ];
  const path = (id: string) => {
    const folders = Array.from({ length: levels }, (_, level) => id.slice(level * 2, level * 2 + 2));
    return [...folders, id.slice(levels * 2)].join('/');
  };
  given.remote.commit(
    notesRef,
    Object.fromEntries(objects.slice(0, 2).map((id) => [path(id), `note on ${id}`])),
  );
  const notes = await notesCommit();
  // Git itself can read this layout.
  expect(given.remote.git(['notes', '--ref', notesRef, 'show', objects[0]!])).toBe(`note on ${objects[0]}`);
  expect(await given.mirror.note(notes, objects[0]!)).toBe(`note on ${objects[0]}`);
  expect(await given.mirror.note(notes, objects[1]!)).toBe(`note on ${objects[1]}`);
  expect(await given.mirror.note(notes, objects[2]!)).toBeUndefined();
});

test('reads the fan-out that git creates for many notes', async () => {
  const sha = given.remote.commit(dev, { a: '1' });
  const numbers = Array.from({ length: 600 }, (_, index) => index + 1);
  const by = 'committer G <g@e> 1700000000 +0000\ndata <<E\ntext\nE\n';
  const commits = numbers.map((n) => `commit refs/heads/many\nmark :${n}\n${by}`);
  const notesOn = numbers.map((n) => `N inline :${n}\ndata <<E\nnote ${n}\nE\n`);
  given.remote.git(
    ['fast-import', '--quiet'],
    [...commits, `commit ${notesRef}\n${by}`, ...notesOn].join(''),
  );
  expect(given.remote.git(['ls-tree', '--name-only', notesRef]).split('\n')[0]).toHaveLength(2);

  const notes = await notesCommit();
  expect(await given.mirror.note(notes, given.remote.git(['rev-parse', 'refs/heads/many~558']))).toBe(
    'note 42\n',
  );
  expect(await given.mirror.note(notes, sha)).toBeUndefined();
});
