import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Mirror } from '../index.js';
import {
  devRef,
  DirectFixture,
  isQuestion,
  testPassword,
  type Intercept,
} from '../testing/direct-fixture.js';

const resultType = 'application/x-git-upload-pack-result';
const question = 'POST /remote.git/git-upload-pack';
let fixture: DirectFixture;

beforeEach(() => {
  fixture = new DirectFixture();
});
afterEach(() => fixture.close());

/**
 * Pushes files, and lets the mirror fetch their commit. Returns the commit; processes that were started until then
 * are not counted.
 */
async function fetched(mirror: Mirror, files: Record<string, string>): Promise<string> {
  const sha = fixture.remote.commit(devRef, files);
  await mirror.refresh([devRef]);
  await mirror.commit(sha);
  fixture.started();
  return sha;
}

/** Intercepts the requests of this library for objects: all except the first one, which is for references. */
function ofObjects(intercept: Intercept): Intercept {
  let questions = 0;
  return (request, response) => isQuestion(request) && ++questions > 1 && intercept(request, response);
}

async function read(mirror: Mirror, sha: string, path: string): Promise<string | undefined> {
  return (await mirror.file(sha, path))?.toString();
}

describe('a mirror without a git process', () => {
  test('fetches a blob once, and keeps it in the mirror', async () => {
    const server = await fixture.serve();
    const url = server.url('remote.git');
    const mirror = fixture.open(url);
    const sha = await fetched(mirror, { a: 'first', b: 'second' });
    server.requests.length = 0;
    expect(await read(mirror, sha, 'a')).toBe('first');
    expect(server.requests).toEqual([question]);
    expect(fixture.started()).toEqual([]);
    await fixture.closeLast();
    const again = fixture.open(url);
    expect(await read(again, sha, 'a')).toBe('first');
    expect(server.requests).toEqual([question]);
    expect(fixture.started()).toEqual(['cat-file']);
  });

  test('fetches concurrently read blobs with one request, including deltas', async () => {
    const server = await fixture.serve();
    const mirror = fixture.open(server.url('remote.git'));
    const files = Object.fromEntries(
      Array.from({ length: 20 }, (_, n) => [`f${n}`, `${'a line of the file\n'.repeat(50)}${n}\n`]),
    );
    const sha = await fetched(mirror, files);
    fixture.remote.git(['repack', '-adf']);
    server.requests.length = 0;
    const contents = await Promise.all(Object.keys(files).map((path) => read(mirror, sha, path)));
    expect(contents).toEqual(Object.values(files));
    expect(server.requests).toEqual([question]);
    expect(fixture.started()).toEqual([]);
  });

  test('sends the current credentials to the host of the remote', async () => {
    const seen: (string | undefined)[] = [];
    const server = await fixture.serve(
      ofObjects(({ headers }) => (seen.push(headers.authorization), false)),
      { password: testPassword },
    );
    const mirror = fixture.open(server.url('remote.git'), {}, () => ({
      username: 'u',
      password: testPassword,
    }));
    const sha = await fetched(mirror, { a: 'first' });
    expect(await read(mirror, sha, 'a')).toBe('first');
    expect(seen).toEqual([`Basic ${Buffer.from(`u:${testPassword}`).toString('base64')}`]);
  });
});

/** Answers each request with these bytes. */
const answering =
  (status: number, body: string | Buffer, type = resultType): Intercept =>
  (_, response) => {
    response.writeHead(status, { 'content-type': type }).end(body);
    return true;
  };

describe('a git process fetches', () => {
  const packed = (bytes: number) => {
    const data = Buffer.concat([Buffer.from([1]), randomBytes(60_000)]);
    const packet = Buffer.concat([Buffer.from((data.length + 4).toString(16).padStart(4, '0')), data]);
    return Buffer.concat([
      Buffer.from('000dpackfile\n'),
      ...Array.from({ length: Math.ceil(bytes / data.length) }, () => packet),
    ]);
  };

  test.each([
    ['refuses', answering(500, '')],
    ['requires other credentials', answering(401, '')],
    ['answers with a page', answering(200, '<html>', 'text/html')],
    ['reports an error', answering(200, '0032ERR upload-pack: not our ref, whatever it is.\n0000')],
    [
      'sends content that is not a pack',
      answering(200, Buffer.concat([packed(60_000), Buffer.from('0000')])),
    ],
    ['does not end its response', answering(200, packed(20 * 1024 ** 2))],
    ['closes the connection at once', (request) => (request.socket.destroy(), true)],
  ] as [string, Intercept][])('objects from a remote that %s', async (_, intercept) => {
    const mirror = fixture.open((await fixture.serve(ofObjects(intercept))).url('remote.git'));
    const sha = await fetched(mirror, { a: 'first' });
    expect(await read(mirror, sha, 'a')).toBe('first');
    expect(fixture.started()).toEqual(['fetch']);
  });

  test('objects from another host after a redirect, without sending the secret', async () => {
    const seen: (string | undefined)[] = [];
    const other = await fixture.serve(({ headers }) => (seen.push(headers.authorization), false));
    const location = other.url('remote.git/git-upload-pack').replace('127.0.0.1', 'localhost');
    const redirect = ofObjects((_, response) => (response.writeHead(307, { location }).end(), true));
    const server = await fixture.serve(redirect, { password: testPassword });
    const mirror = fixture.open(server.url('remote.git'), {}, () => ({
      username: 'u',
      password: testPassword,
    }));
    const sha = await fetched(mirror, { a: 'first' });
    expect(await read(mirror, sha, 'a')).toBe('first');
    expect(seen.filter((header) => header !== undefined)).toEqual([]);
  });

  test('everything from a remote that has failed three times in a row', async () => {
    let asked = 0;
    const server = await fixture.serve(
      ofObjects((request, response) => (asked++, answering(500, '')(request, response))),
    );
    const mirror = fixture.open(server.url('remote.git'));
    const names = ['a', 'b', 'c', 'd', 'e'];
    const sha = await fetched(mirror, Object.fromEntries(names.map((name) => [name, name])));
    for (const name of names) expect(await read(mirror, sha, name)).toBe(name);
    expect(asked).toBe(3);
    expect(fixture.started()).toEqual(names.map(() => 'fetch'));
  });

  test('objects that are too large for a direct request', async () => {
    const mirror = fixture.open((await fixture.serve()).url('remote.git'));
    const large = randomBytes(700_000).toString('hex').slice(0, 1_000_000);
    const sha = await fetched(mirror, { large, bomb: ' '.repeat(10_000_000) });
    expect(await read(mirror, sha, 'large')).toBe(large);
    await expect(mirror.file(sha, 'bomb')).rejects.toMatchObject({ reason: 'ObjectTooLarge' });
    expect(fixture.started().filter((name) => name === 'fetch')).toHaveLength(2);
  });

  test('an object that is not a blob, although its tree entry states that it is', async () => {
    const mirror = fixture.open((await fixture.serve()).url('remote.git'));
    const blob = fixture.remote.blob('hidden');
    const tree = fixture.remote.git(['mktree'], `100644 blob ${blob}\tx\n`);
    const entry = Buffer.concat([Buffer.from('100644 a\0'), Buffer.from(tree, 'hex')]);
    const root = fixture.remote.git(['hash-object', '-t', 'tree', '-w', '--stdin', '--literally'], entry);
    const sha = fixture.remote.git(['commit-tree', root, '-m', 'crafted']);
    fixture.remote.git(['update-ref', devRef, sha]);
    await mirror.refresh([devRef]);
    await expect(mirror.file(sha, 'a')).rejects.toMatchObject({ type: 'NotFound', reason: 'ObjectNotFound' });
  });
});

describe('a remote that does not respond', () => {
  const silence = ofObjects((_, response) => {
    response.writeHead(200, { 'content-type': resultType }).write('000dpackfile\n');
    return true;
  });

  test('is requested by a git process after the timeout', async () => {
    const server = await fixture.serve(silence);
    const url = server.url('remote.git');
    const sha = await fetched(fixture.open(url), { a: 'first' });
    await fixture.closeLast();
    const impatient = fixture.open(url, { timeoutsMs: { lsRemote: 300 } });
    expect(await read(impatient, sha, 'a')).toBe('first');
    expect(fixture.started()).toContain('fetch');
  });

  test('is abandoned when the call is aborted, and does not delay other calls', async () => {
    let reached: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => (reached = resolve));
    const server = await fixture.serve((request, response) => {
      const isSilent = silence(request, response);
      if (isSilent) reached();
      return isSilent;
    });
    const mirror = fixture.open(server.url('remote.git'));
    const sha = await fetched(mirror, { a: 'first' });
    const controller = new AbortController();
    const aborted = mirror.file(sha, 'a', { signal: controller.signal }).catch((reason: unknown) => reason);
    await asked;
    controller.abort('enough');
    expect(await aborted).toBe('enough');
    const other = await fixture.serve();
    const theirs = fixture.open(other.url('remote.git'));
    await theirs.refresh([devRef]);
    expect(await read(theirs, sha, 'a')).toBe('first');
  });
});
