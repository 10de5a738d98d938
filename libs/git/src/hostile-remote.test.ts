import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createGit } from './index.js';
import { encodePackets, line } from './remote/pkt-line.js';
import { mirrorName } from './repository.js';
import { devRef, DirectFixture } from './testing/direct-fixture.js';

let fixture: DirectFixture;

beforeEach(() => {
  fixture = new DirectFixture();
});
afterEach(() => fixture.close());

const message = 'No space left on device';
const band = (number: number, text: string) => Buffer.concat([Buffer.of(number), Buffer.from(text)]);

describe('a remote that claims that a disk is full', () => {
  test.each<[string, Buffer]>([
    ['as an error', encodePackets([line(`ERR ${message}`)])],
    ['beside a pack', encodePackets([line('packfile'), band(3, `${message}\n`)])],
    ['as progress', encodePackets([line('packfile'), band(2, `fatal: write error: ${message}\n`)])],
    ['instead of a section', encodePackets([line(message)])],
  ])('does not evict the mirrors of others: %s', async (_, answer) => {
    const idle = fixture.sandbox.remote('idle.git');
    idle.commit(devRef, { a: '1' });
    const server = await fixture.serve((request, response) => {
      if (request.method !== 'POST' || !request.url?.startsWith('/remote.git')) return false;
      response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' }).end(answer);
      return true;
    });
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
