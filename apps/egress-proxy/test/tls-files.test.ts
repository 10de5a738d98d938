import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readTlsFiles } from '../src/tls/files.js';
import { certify } from './harness/proxies.js';

describe('readTlsFiles', () => {
  let folder: string;
  let authority: string;
  const path = (name: string): string => join(folder, name);
  const read = () =>
    readTlsFiles({ certFile: path('tls.crt'), keyFile: path('tls.key'), clientCaFile: path('ca.crt') });
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'interlock-proxy-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  beforeEach(async () => {
    authority = await certify(folder);
    await writeFile(path('ca.crt'), authority);
  });

  it('returns complete files, with text around the authorities', async () => {
    const authorities = `# One\n${authority}\n# Two\n${authority}\n`;
    await writeFile(path('ca.crt'), authorities);
    expect(await read()).toMatchObject({ cert: authority, ca: authorities });
  });

  it.each([
    ['tls.crt', 'is empty', () => ''],
    ['tls.key', 'is empty', () => ''],
    ['ca.crt', 'is empty', () => ''],
    ['ca.crt', 'is not a certificate', () => 'no certificate'],
    ['ca.crt', 'is the first half of a certificate', () => authority.slice(0, 300)],
    ['ca.crt', 'ends within its second certificate', () => authority + authority.slice(0, 300)],
  ])('refuses the file %s if it %s', async (name, _title, contents) => {
    await writeFile(path(name), contents());
    await expect(read()).rejects.toThrow(path(name));
  });

  it.each([
    ['tls.crt', 'is not a certificate', 'no certificate'],
    ['tls.key', 'is not a key', 'no key'],
    ['tls.key', 'belongs to another certificate', undefined],
  ])('names both files if %s %s', async (name, _title, contents) => {
    const cert = await readFile(path('tls.crt'));
    await certify(folder);
    await writeFile(path('tls.crt'), cert);
    if (contents !== undefined) await writeFile(path(name), contents);
    await expect(read()).rejects.toThrow(`${path('tls.crt')} and ${path('tls.key')} cannot be used: `);
  });
});
