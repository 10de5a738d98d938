import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Mirror } from '../index.js';
import { devRef, DirectFixture, isQuestion, type Intercept } from '../testing/direct-fixture.js';

const next = 'refs/heads/dev-next';
const resultType = 'application/x-git-upload-pack-result';
let fixture: DirectFixture;

beforeEach(() => {
  fixture = new DirectFixture();
});
afterEach(() => fixture.close());

/** Whether requests for objects are intercepted now; all other requests are for references. */
let isArmed = false;
let questions = 0;
const ofPacks =
  (intercept: Intercept): Intercept =>
  (request, response) =>
    isArmed && isQuestion(request) && ++questions % 2 === 0 && intercept(request, response);

async function opened(intercept?: Intercept): Promise<Mirror> {
  isArmed = false;
  questions = 0;
  const server = await fixture.serve(intercept && ofPacks(intercept));
  const mirror = fixture.open(server.url('remote.git'));
  await mirror.refresh([devRef, next]);
  fixture.started();
  isArmed = true;
  return mirror;
}

/** Pushes a commit to the environment and one to the proposed branch. Returns both commits. */
function push(files: Record<string, string>): [string, string] {
  return [fixture.remote.commit(devRef, { ...files, b: 'x' }), fixture.remote.commit(next, files)];
}

/** Returns the types of the objects that are missing in the mirror. */
function missingTypes(...tips: string[]): Set<string> {
  const [name = ''] = readdirSync(fixture.sandbox.cacheDir);
  const env = { ...process.env, GIT_DIR: join(fixture.sandbox.cacheDir, name) };
  const args = ['rev-list', '--objects', '--missing=print', ...tips];
  const listed = execFileSync('git', args, { env, encoding: 'utf8' }).split('\n');
  const missing = listed.filter((line) => line.startsWith('?')).map((line) => line.slice(1));
  return new Set(missing.map((sha) => fixture.remote.git(['cat-file', '-t', sha])));
}

describe('a new object', () => {
  test('is fetched, without blobs, by one request and one process', async () => {
    const files = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`apps/${n}/x`, String(n)]));
    fixture.remote.commit(next, files);
    const mirror = await opened();
    for (let index = 0; index < 3; index++) {
      const [dev, proposed] = push({ ...files, 'apps/7/x': `changed ${index}` });
      const { refs } = await mirror.refresh([devRef, next]);
      expect([refs.get(devRef), refs.get(next)]).toEqual([dev, proposed]);
      expect((await mirror.commit(dev)).sha).toBe(dev);
      expect(fixture.started()).toEqual(['index-pack']);
      expect(missingTypes(dev, proposed)).toEqual(new Set(['blob']));
    }
  });

  test('exists after a restart, and is not fetched again', async () => {
    const server = await fixture.serve();
    const open = () => fixture.open(server.url('remote.git'));
    await open().refresh([devRef]);
    const sha = fixture.remote.commit(devRef, { a: '2' });
    await fixture.closeLast();
    const mirror = open();
    await mirror.refresh([devRef]);
    const later = fixture.remote.commit(devRef, { a: '3' });
    await mirror.refresh([devRef]);
    fixture.started();
    await fixture.closeLast();
    const again = open();
    await again.refresh([devRef]);
    expect((await again.commit(later)).parents).toEqual([sha]);
    expect(fixture.started()).toEqual(['cat-file']);
  });

  test('is packed with the other objects', async () => {
    const server = await fixture.serve();
    const mirror = fixture.open(server.url('remote.git'), { maxPacks: 3 });
    const made: string[] = [];
    for (let index = 0; index < 8; index++) {
      made.push(fixture.remote.commit(devRef, { a: String(index) }));
      await mirror.refresh([devRef]);
      await mirror.file(made.at(-1) ?? '', 'a');
    }
    const started = fixture.started();
    expect(started).toContain('gc');
    expect(started.filter((name) => name === 'fetch')).toHaveLength(1);
    expect(await mirror.isAncestor(made[0] ?? '', made.at(-1) ?? '')).toBe(true);
    expect(String(await mirror.file(made[4] ?? '', 'a'))).toBe('4');
  });
});

const answering =
  (...parts: (string | Buffer)[]): Intercept =>
  (_, response) => {
    const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
    response.writeHead(200, { 'content-type': resultType }).end(body);
    return true;
  };

const emptyPack = Buffer.from('5041434b0000000200000000029d08823bd8a8eab510ad6ac75c823cfd3ed31e', 'hex');
const packet = (bytes: Buffer) =>
  Buffer.concat([Buffer.from((bytes.length + 5).toString(16).padStart(4, '0')), Buffer.from([1]), bytes]);

const large = answering(
  '000dpackfile\n',
  ...Array.from({ length: 40 }, () => packet(randomBytes(60_000))),
  '0000',
);

describe('a git process fetches', () => {
  test.each([
    ['is refused', (_, response) => (response.writeHead(500).end(), true)],
    ['is an error', answering('0032ERR upload-pack: not our ref, whatever it is.\n0000')],
    ['is not a pack', answering('000dpackfile\n', packet(randomBytes(1_000)), '0000')],
    ['is a pack without the commits', answering('000dpackfile\n', packet(emptyPack), '0000')],
    ['is cut off', answering('000dpackfile\n', packet(emptyPack))],
    ['is too large', large],
  ] as [string, Intercept][])('everything when the response %s', async (_, intercept) => {
    const mirror = await opened(intercept);
    const [dev, proposed] = push({ a: '2' });
    await mirror.refresh([devRef, next]);
    expect((await mirror.commit(dev)).sha).toBe(dev);
    expect(fixture.started()).toContain('fetch');
    expect(missingTypes(dev, proposed)).toEqual(new Set(['blob']));
  });

  test('from a remote that cannot omit blobs', async () => {
    fixture.remote.git(['config', 'uploadpack.allowFilter', 'false']);
    const mirror = await opened();
    const [dev] = push({ a: '2' });
    await mirror.refresh([devRef, next]);
    expect((await mirror.commit(dev)).sha).toBe(dev);
    expect(fixture.started()).toEqual(['fetch']);
  });

  test('everything when the mirror vanishes during the request', async () => {
    const { cacheDir } = fixture.sandbox;
    const vanish: Intercept = () => {
      for (const name of readdirSync(cacheDir)) rmSync(join(cacheDir, name), { recursive: true });
      isArmed = false;
      return false;
    };
    const mirror = await opened(vanish);
    const [dev, proposed] = push({ a: '2' });
    await mirror.refresh([devRef, next]);
    expect(await mirror.isAncestor(fixture.tip, dev)).toBe(true);
    expect((await mirror.commit(fixture.tip)).sha).toBe(fixture.tip);
    expect(fixture.started()).toContain('fetch');
    expect(missingTypes(dev, proposed)).toEqual(new Set(['blob']));
  });

  test('everything that index-pack refuses, and index-pack is not used after three refusals', async () => {
    const mirror = await opened();
    for (let index = 0; index < 5; index++) {
      const parent = fixture.remote.tip(devRef) ?? '';
      const tree = fixture.remote.tree({ a: String(index) });
      const author = 'A <a@example.com> 1700000000 +051800';
      const text = `tree ${tree}\nparent ${parent}\nauthor ${author}\ncommitter ${author}\n\nx\n`;
      const sha = fixture.remote.git(['hash-object', '-t', 'commit', '-w', '--stdin', '--literally'], text);
      fixture.remote.git(['update-ref', devRef, sha]);
      await mirror.refresh([devRef]);
      expect((await mirror.commit(sha)).sha).toBe(sha);
      const started = fixture.started();
      expect([started.includes('index-pack'), started.includes('fetch')]).toEqual([index < 3, true]);
    }
  });

  test('from a remote that responds too late', async () => {
    isArmed = false;
    const silent = ofPacks((_, response) => {
      response.writeHead(200, { 'content-type': resultType }).write('000dpackfile\n');
      return true;
    });
    const server = await fixture.serve(silent);
    /* The references, which the server sends in time, have the same timeout. */
    const mirror = fixture.open(server.url('remote.git'), { timeoutsMs: { lsRemote: 5_000 } });
    await mirror.refresh([devRef]);
    questions = 0;
    isArmed = true;
    const [dev] = push({ a: '2' });
    await mirror.refresh([devRef]);
    expect((await mirror.commit(dev)).sha).toBe(dev);
    expect(fixture.started()).toContain('fetch');
  });

  test('large objects, and small ones are requested directly again', async () => {
    let isLarge = true;
    const mirror = await opened((request, response) => isLarge && large(request, response));
    for (let index = 0; index < 4; index++) {
      push({ a: `large ${index}` });
      await mirror.refresh([devRef, next]);
      expect(fixture.started()).toContain('fetch');
    }
    isLarge = false;
    const [small] = push({ a: 'small' });
    await mirror.refresh([devRef, next]);
    expect((await mirror.commit(small)).sha).toBe(small);
    expect(fixture.started()).toEqual(['index-pack']);
  });
});
