import { expect, test } from '@jest/globals';
import { bytesInUse } from '@interlock/base/testing';
import { AppCredential } from './app-credential.js';

const kibibyte = 1024;
const count = 1_000;

test('uses at most 10 KiB for each of a thousand Apps that have made no call', () => {
  const key = {
    ...({ kind: 'app', appId: 1, installationId: undefined } as const),
    ...{ privateKey: '', secretKey: 'githubAppPrivateKey' },
  };
  const create = (id: number) => new AppCredential(`app ${id}`, key, {} as never);
  const first = create(0);
  const before = bytesInUse();
  const apps = Array.from({ length: count }, (_, index) => create(index + 1));
  expect(bytesInUse() - before).toBeLessThan(count * 10 * kibibyte);
  expect([first, ...apps]).toHaveLength(count + 1);
});
