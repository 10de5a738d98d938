import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Sandbox, type TestRemote } from '../testing/sandbox.js';
import { readBlobs } from './pack.js';

const limit = 1024 * 1024;
const types = { commit: 1, blob: 3, offsetDelta: 6, refDelta: 7 };

const idOf = (content: Buffer) =>
  createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');

/** Returns the head of an entry with the given size. */
function head(type: number, size: number): Buffer {
  const bytes = [(type << 4) | (size & 0xf)];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 0x80;
    bytes.push(rest % 128);
  }
  return Buffer.from(bytes);
}

function entry(content: Buffer, { type = types.blob, size = content.length } = {}): Buffer {
  return Buffer.concat([head(type, size), deflateSync(content)]);
}

function deltaEntry(base: string, instructions: Buffer): Buffer {
  const begin = head(types.refDelta, instructions.length);
  return Buffer.concat([begin, Buffer.from(base, 'hex'), deflateSync(instructions)]);
}

function pack(entries: readonly Buffer[], { count = entries.length, version = 2 } = {}): Buffer {
  const numbers = Buffer.alloc(8);
  numbers.writeUInt32BE(version, 0);
  numbers.writeUInt32BE(count, 4);
  const body = Buffer.concat([Buffer.from('PACK'), numbers, ...entries]);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

const [one, two] = [Buffer.from('one'), Buffer.from('a second one')];
const ids = new Set([idOf(one), idOf(two)]);

describe('a pack that git makes', () => {
  let sandbox: Sandbox;
  let remote: TestRemote;

  beforeEach(() => {
    sandbox = new Sandbox();
    remote = sandbox.remote();
  });
  afterEach(() => sandbox.remove());

  test.each([
    ['one blob', ['{"drySha":"1"}\n']],
    ['an empty blob', ['']],
    ['blobs without common content', ['a', 'b', 'c'.repeat(100_000)]],
    [
      'blobs that are deltas of other blobs',
      Array.from({ length: 60 }, (_, n) => `${'the same line\n'.repeat(300 + n)}${n}\n`),
    ],
  ])('contains %s', async (_, contents) => {
    const blobs = new Map(contents.map((content) => [remote.blob(content), Buffer.from(content)]));
    const list = [...blobs.keys()].join('\n');
    const file = sandbox.path('made');
    const name = remote.git(['pack-objects', '--quiet', file], `${list}\n`);
    const made = sandbox.bytes(`made-${name}.pack`);
    expect(await readBlobs(made, new Set(blobs.keys()), 4 * limit)).toEqual(blobs);
  });
});

describe('a pack', () => {
  test('contains the requested blobs', async () => {
    const blobs = await readBlobs(pack([entry(two), entry(one)]), ids, limit);
    expect(blobs).toEqual(
      new Map([
        [idOf(one), one],
        [idOf(two), two],
      ]),
    );
  });

  const copyOfOne = Buffer.concat([
    Buffer.from([3, 12, 9]),
    Buffer.from('a second '),
    Buffer.from([0x90, 3]),
  ]);

  test('may contain deltas before their bases', async () => {
    const blobs = await readBlobs(pack([deltaEntry(idOf(one), copyOfOne), entry(one)]), ids, limit);
    expect(blobs.get(idOf(two))).toEqual(two);
  });

  const bomb = entry(Buffer.alloc(50 * limit));
  const otherEnd = (bytes: Buffer) =>
    Buffer.concat([bytes.subarray(0, -1), Buffer.from([bytes.at(-1) === 0 ? 1 : 0])]);
  const whole = pack([entry(one), entry(two)]);

  test.each([
    ['no content', Buffer.alloc(0), 'not a pack'],
    ['content that is not a pack', Buffer.alloc(100, 'x'), 'not a pack'],
    ['another version', pack([entry(one), entry(two)], { version: 3 }), 'version 2'],
    ['a wrong checksum', otherEnd(whole), 'checksum'],
    ['a missing end', whole.subarray(0, -5), 'checksum'],
    ['more objects than requested', pack([entry(one), entry(two), entry(one)]), '3 objects'],
    ['fewer objects than requested', pack([entry(one)]), '1 objects'],
    ['an object count that is out of range', pack([], { count: 0xffff_ffff }), 'objects'],
    ['fewer objects than its header states', pack([entry(one)], { count: 2 }), 'cut off'],
    [
      'bytes after its objects',
      pack([entry(one), entry(two), Buffer.from('x')], { count: 2 }),
      'continues after',
    ],
    ['an object twice', pack([entry(one), entry(one)]), 'twice'],
    [
      'an object that was not requested',
      pack([entry(one), entry(Buffer.from('three'))]),
      'was not requested',
    ],
    ['a commit', pack([entry(one, { type: types.commit }), entry(two)]), 'type 1'],
    ['a delta with an offset', pack([entry(one, { type: types.offsetDelta }), entry(two)]), 'type 6'],
    ['an entry without a type', pack([entry(one, { type: 0 }), entry(two)]), 'type 0'],
    ['a size that is too small', pack([entry(one, { size: 2 }), entry(two)]), 'does not have the size'],
    ['a size that is too large', pack([entry(one, { size: 4 }), entry(two)]), 'does not have the size'],
    ['a bomb', pack([bomb, entry(two)]), 'too large'],
    [
      'a bomb that claims to be small',
      pack([entry(Buffer.alloc(50 * limit), { size: 3 }), entry(two)]),
      'does not have the size',
    ],
    ['objects that are too large together', pack([entry(one), entry(Buffer.alloc(limit - 2))]), 'too large'],
    ['a size that does not end', pack([Buffer.alloc(1_000, 0xff), entry(two)], { count: 2 }), 'too large'],
    [
      'a stream that is not zlib',
      pack([Buffer.concat([head(3, 3), Buffer.alloc(20, 'x')]), entry(two)]),
      'inflated',
    ],
    ['a stream that is cut off', pack([entry(one), entry(two).subarray(0, -6)]), 'inflated'],
    ['a delta without its base', pack([entry(one), deltaEntry('1'.repeat(40), copyOfOne)]), 'base'],
    [
      'deltas of each other',
      pack([deltaEntry(idOf(two), copyOfOne), deltaEntry(idOf(one), copyOfOne)]),
      'base of a delta',
    ],
    [
      'a delta with another result',
      pack([entry(one), deltaEntry(idOf(one), Buffer.from([3, 1, 1, 65]))]),
      'was not requested',
    ],
    ['a delta that is cut off', pack([entry(one), deltaEntry(idOf(one), Buffer.from([3]))]), 'cut off'],
  ])('is refused with %s', async (_, bytes, message) => {
    await expect(readBlobs(bytes, ids, limit)).rejects.toThrow(message);
  });

  test('is refused when the result of a delta exceeds the bound', async () => {
    const large = Buffer.alloc(600_000, 'x');
    /* Copies 600,000 bytes: 0x0927c0. */
    const size = [0xc0, 0xcf, 0x24];
    const twice = Buffer.from([...size, ...size, 0xf0, 0xc0, 0x27, 0x09]);
    const asked = new Set([idOf(large), idOf(two)]);
    const bytes = pack([entry(large), deltaEntry(idOf(large), twice)]);
    await expect(readBlobs(bytes, asked, limit)).rejects.toThrow('a delta produces more');
    await expect(readBlobs(bytes, asked, 2 * limit)).rejects.toThrow('twice');
  });
});
