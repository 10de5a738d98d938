import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readPayloadFolder } from './payload.js';
import { temporaryFolder } from './testing/folder.js';

const root = temporaryFolder();
afterAll(root.remove);

function folderWith(files: Record<string, string | Buffer>): string {
  const folder = mkdtempSync(join(root.path, 'payload-'));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

/** Cuts bytes at any places into files. */
function chunksOf(bytes: Buffer, cuts: readonly number[]): Record<string, Buffer> {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return Object.fromEntries(
    places
      .slice(1)
      .map((end, index) => [`payload.${String(index).padStart(3, '0')}`, bytes.subarray(places[index], end)]),
  );
}

describe('readPayloadFolder', () => {
  it('returns the text of the job unchanged, including numbers that JSON.parse would round', () => {
    const text = ' {"id": 12345678901234567890.10, "a":\t"\\ud83d\\ude84 🚄"}\n';
    expect(readPayloadFolder(folderWith({ payload: text, 'plan-id': 'x' }))).toBe(text);
  });

  it('drops a byte order mark', () => {
    expect(readPayloadFolder(folderWith({ payload: '\uFEFF{}' }))).toBe('{}');
  });

  it('joins chunks that are cut anywhere, even inside a character', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.array(fc.nat({ max: 1000 }), { maxLength: 6 }),
        (value, cuts) => {
          const text = JSON.stringify({ value });
          expect(readPayloadFolder(folderWith(chunksOf(Buffer.from(text), cuts)))).toBe(text);
        },
      ),
      { numRuns: 50 },
    );
  });

  it.each<[string, Record<string, string | Buffer>, string]>([
    [
      'no payload',
      { 'plan-id': 'x' },
      'has neither payload nor payload.000; mount the Secret of the job there',
    ],
    [
      'a missing chunk',
      { 'payload.000': '{', 'payload.002': '}' },
      'has 2 chunks of the payload but not payload.001',
    ],
    ['a chunk with another name', { 'payload.000': '{}', 'payload.x': '' }, 'but not payload.001'],
    ['bytes that are not UTF-8', { payload: Buffer.from([0x7b, 0xff, 0x7d]) }, 'is not UTF-8'],
    ['a surrogate in UTF-8', { payload: Buffer.from([0x7b, 0xed, 0xa0, 0x80, 0x7d]) }, 'is not UTF-8'],
    ['an empty file', { payload: '' }, 'is not a JSON object'],
    ['text that breaks off', { payload: '{"token":"s3cret"' }, 'is not a JSON object'],
    [
      'too many chunks',
      Object.fromEntries(
        Array.from({ length: 101 }, (_, i) => [`payload.${String(i).padStart(3, '0')}`, '{}']),
      ),
      'has 101 chunks of the payload, more than 100',
    ],
  ])('refuses %s and names the folder, not the content', (_title, files, message) => {
    const folder = folderWith(files);
    const error = errorOf(() => readPayloadFolder(folder));
    expect(error).toContain(folder);
    expect(error).toContain(message);
    expect(error).not.toContain('s3cret');
  });

  it('refuses a folder that does not exist', () => {
    expect(errorOf(() => readPayloadFolder('/none/such'))).toBe(
      'cannot read the folder /none/such (ENOENT); mount the Secret of the job there',
    );
  });

  it('refuses a folder in place of the file', () => {
    const folder = folderWith({});
    mkdirSync(join(folder, 'payload'));
    expect(errorOf(() => readPayloadFolder(folder))).toContain(`cannot read ${folder}/payload (not a file)`);
  });
});

function errorOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return (error as Error).message;
  }
  return 'no error';
}
