import { describe, expect, test } from '@jest/globals';
import { hydrationOf, hydratorNotesRef } from './index.js';
import { dryShaOf, parseHydratorMetadata, parseHydratorNote } from './hydration.js';
import { useMirror } from './testing/use-git.js';

const dry = 'a'.repeat(40);
const newer = 'b'.repeat(40);

describe('parseHydratorMetadata', () => {
  test('reads all fields and ignores others', () => {
    const value = {
      drySha: dry,
      repoURL: 'https://example.com/r',
      author: 'Ada <a@b>',
      date: '2026-02-26T14:32:15-06:00',
      subject: 's',
      body: 'b\n',
      references: [{ commit: { sha: newer, subject: 'x' } }],
    };
    expect(parseHydratorMetadata(JSON.stringify({ ...value, commands: ['helm'] }))).toEqual(value);
    expect(parseHydratorMetadata(JSON.stringify({ drySha: dry }))).toEqual({ drySha: dry });
  });

  test.each([
    ['malformed JSON', 'drySha: x', /hydrator\.metadata is not JSON/],
    ['a list', '[]', /the document: .*object/],
    ['no drySha', '{}', /drySha: /],
    ['a short drySha', '{"drySha":"abc"}', /drySha: is not a full object id/],
    ['a drySha that is an option', '{"drySha":"--upload-pack=x"}', /drySha: is not a full object id/],
    ['a number for the date', JSON.stringify({ drySha: dry, date: 1 }), /date: .*string/],
    [
      'a bad reference',
      JSON.stringify({ drySha: dry, references: [{ commit: { sha: 1 } }] }),
      /references\.0\.commit\.sha: /,
    ],
  ])('names what is wrong with %s', (_, text, message) => {
    const error = {
      type: 'Invalid',
      reason: 'HydratorMetadataInvalid',
      message: expect.stringMatching(message),
    };
    expect(() => parseHydratorMetadata(text)).toThrow(expect.objectContaining(error));
  });

  test('applies the same rules to a note', () => {
    expect(parseHydratorNote(`{"drySha":"${dry}"}\n`)).toEqual({ drySha: dry });
    expect(() => parseHydratorNote('{}')).toThrow(
      /the note in refs\/notes\/hydrator\.metadata is not valid: drySha/,
    );
  });
});

describe('hydrationOf', () => {
  const branch = 'refs/heads/dev-next';
  const given = useMirror();

  async function lookup() {
    const { refs } = await given.mirror.refresh([branch, hydratorNotesRef]);
    return { commit: refs.get(branch) ?? '', notes: refs.get(hydratorNotesRef) };
  }

  test('prefers the note to the file', async () => {
    const sha = given.remote.commit(branch, {
      'hydrator.metadata': JSON.stringify({ drySha: dry, subject: 's' }),
    });
    expect(await hydrationOf(given.mirror, await lookup())).toEqual({
      drySha: dry,
      metadata: { drySha: dry, subject: 's' },
    });
    given.remote.note(hydratorNotesRef, sha, JSON.stringify({ drySha: newer }));
    expect(await hydrationOf(given.mirror, await lookup())).toEqual({
      drySha: newer,
      noteDrySha: newer,
      metadata: { drySha: dry, subject: 's' },
    });
    expect(await dryShaOf(given.mirror, await lookup())).toBe(newer);
  });

  test('reads the file in the folder', async () => {
    given.remote.commit(branch, { 'apps/one/hydrator.metadata': JSON.stringify({ drySha: dry }) });
    const query = await lookup();
    expect(await dryShaOf(given.mirror, query)).toBeUndefined();
    expect(await dryShaOf(given.mirror.at('apps/one'), query)).toBe(dry);
  });

  test('reports a malformed note with the commit, instead of using the file', async () => {
    const sha = given.remote.commit(branch, { 'hydrator.metadata': JSON.stringify({ drySha: dry }) });
    given.remote.note(hydratorNotesRef, sha, 'junk');
    await expect(dryShaOf(given.mirror, await lookup())).rejects.toMatchObject({
      type: 'Invalid',
      message: expect.stringContaining(sha),
    });
  });
});
