import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createGit } from './index.js';
import { encodePackets, line } from './remote/pkt-line.js';
import { mirrorName } from './repository.js';
import { devRef, DirectFixture } from './testing/direct-fixture.js';
import type { HttpRemote } from './testing/http-remote.js';

let fixture: DirectFixture;

beforeEach(() => {
  fixture = new DirectFixture();
});
afterEach(() => fixture.close());

const message = 'No space left on device';
const band = (number: number, text: string) => Buffer.concat([Buffer.of(number), Buffer.from(text)]);

function serve(answer: () => Buffer): Promise<HttpRemote> {
  return fixture.serve((request, response) => {
    if (request.method !== 'POST' || request.url?.startsWith('/remote.git') !== true) return false;
    response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' }).end(answer());
    return true;
  });
}

/** Returns the answer with these objects, which a server of git would refuse to send if they are malformed. */
function packOf(...ids: string[]): Buffer {
  const env = { ...process.env, GIT_DIR: fixture.remote.directory };
  const pack = execFileSync('git', ['pack-objects', '--stdout', '--quiet'], { env, input: ids.join('\n') });
  return encodePackets([line('packfile'), Buffer.concat([Buffer.of(1), pack]), 'flush']);
}

test('refuses a malformed tree of a remote that makes the client accept malformed objects', async () => {
  const { remote } = fixture;
  const below = remote.tree({ x: '1' });
  const entry = (head: string) => Buffer.concat([Buffer.from(head), Buffer.from(below, 'hex')]);
  const content = Buffer.concat([entry('40000 a\0'), entry('40000 b\0'), entry('1\0 c\0')]);
  const tree = remote.git(['hash-object', '-t', 'tree', '-w', '--literally', '--stdin'], content);
  const sha = remote.git(['commit-tree', tree], 'text');
  const answers = [encodePackets([line('ERR fsck error in pack: badTimezone: x')])];
  const server = await serve(() => answers.shift() ?? packOf(sha, tree, below));
  const mirror = fixture.open(server.url('remote.git'));
  await mirror.fetch(new Map([[devRef, sha]]));
  const refused = { type: 'Invalid', reason: 'TreeInvalid' };
  await expect(mirror.graft(tree, 'a', below)).rejects.toMatchObject(refused);
});

describe('a remote that claims that a disk is full', () => {
  test.each<[string, Buffer]>([
    ['as an error', encodePackets([line(`ERR ${message}`)])],
    ['beside a pack', encodePackets([line('packfile'), band(3, `${message}\n`)])],
    ['as progress', encodePackets([line('packfile'), band(2, `fatal: write error: ${message}\n`)])],
    ['instead of a section', encodePackets([line(message)])],
  ])('does not evict the mirrors of others: %s', async (_, answer) => {
    const idle = fixture.sandbox.remote('idle.git');
    idle.commit(devRef, { a: '1' });
    const server = await serve(() => answer);
    const { cacheDir } = fixture.sandbox;
    const git = createGit({
      cacheDir,
      transports: ['http'],
      freeBytes: () => Promise.resolve(10 * 1024 ** 3),
    });
    try {
      const url = server.url('idle.git');
      await git.mirror({ url, tenant: 'other' }).refresh([devRef]);
      const hostile = git.mirror({ url: server.url('remote.git'), tenant: 't' });
      const failure = hostile.fetch(new Map([[devRef, fixture.tip]]));
      await expect(failure).rejects.toThrow(message);
      expect(existsSync(join(cacheDir, mirrorName('other', url)))).toBe(true);
    } finally {
      git.close();
    }
  });
});
