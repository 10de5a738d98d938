import { execFileSync } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Checkout } from '../../src/respond/checkout.js';
import { Files } from '../harness/files.js';

let files: Files;
let checkout: Checkout;

beforeAll(async () => {
  files = await Files.start();
  await files.write('secret.yaml', 'secret');
  await files.write('repo/a/b.yaml', 'b\r\n');
  await files.write('repo/a/c.txt', '\uFEFFc');
  await files.write('repo/a/Kustomization', 'k');
  await files.write('repo/a/.git/d.yaml', 'd');
  await files.write('repo/large.yaml', 'x'.repeat(4_000_001));
  await files.write('repo/binary.yaml', Buffer.from([0xff, 0xfe, 0x80]));
  await mkdir(`${files.folder}/repo/folder.yaml`);
  await symlink('../../secret.yaml', `${files.folder}/repo/a/link.yaml`);
  await symlink('..', `${files.folder}/repo/up`);
  await symlink('a', `${files.folder}/repo/inside`);
  execFileSync('mkfifo', [`${files.folder}/repo/pipe.yaml`]);
  checkout = await Checkout.open(`${files.folder}/repo`);
});
afterAll(() => files.close());

describe('read', () => {
  test.each([
    ['a/b.yaml', { text: 'b\r\n' }],
    ['a/c.txt', { text: '\uFEFFc' }],
    ['a/none.yaml', undefined],
    ['none/b.yaml', undefined],
    ['a/b.yaml/c', undefined],
    ['a/link.yaml', { text: '', symbolicLink: true }],
    ['up/secret.yaml', { text: '', symbolicLink: true }],
    ['inside/b.yaml', { text: '', symbolicLink: true }],
  ])('reads %s', async (path, state) => {
    expect(await checkout.read(path, true)).toEqual(state);
  });

  test.each([
    ['../secret.yaml', 'is outside of'],
    ['a/../../secret.yaml', 'is outside of'],
    ['/etc/passwd', 'is outside of'],
    ['a//b.yaml', 'is outside of'],
    ['', 'is outside of'],
    ['folder.yaml', 'is not a file'],
    ['pipe.yaml', 'is not a file'],
    ['large.yaml', 'more than 4000000 bytes'],
    ['binary.yaml', 'is not text'],
  ])('refuses %j', async (path, message) => {
    await expect(checkout.read(path, true)).rejects.toThrow(message);
  });
});

test('returns no text of a binary file that is not edited', async () => {
  expect(await checkout.read('binary.yaml', false)).toEqual({ text: '\uFFFD\uFFFD\uFFFD' });
});

describe('manifests', () => {
  test("lists the files below a folder, without links and git's own files", async () => {
    expect([...(await checkout.manifests('a')).keys()].sort()).toEqual(['a/Kustomization', 'a/b.yaml']);
  });

  test.each(['none', 'inside', 'up', 'a/b.yaml'])('lists no files in the folder %j', async (folder) => {
    expect(await checkout.manifests(folder)).toEqual(new Map());
  });

  test('refuses a folder outside of the checkout', async () => {
    await expect(checkout.manifests('..')).rejects.toThrow('is outside of');
  });
});

test('refuses a checkout that does not exist', async () => {
  await expect(Checkout.open(`${files.folder}/none`)).rejects.toThrow('is not a folder');
  await expect(Checkout.open(`${files.folder}/secret.yaml`)).rejects.toThrow('is not a folder');
});
