import { describe, expect, it } from '@jest/globals';
import { isProblem } from '@interlock/base';
import type { Secret } from '@interlock/kube';
import { gatewayOf } from '../testing/builders.js';
import { readCredential } from './credential.js';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const data = {
  appId: base64('1'),
  installationId: base64('2'),
  privateKey: base64('-----BEGIN RSA PRIVATE KEY-----\nx\n-----END RSA PRIVATE KEY-----'),
};

const read = (type: string | undefined) => {
  const secret: Secret = {
    ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'github-app', namespace: 'team-a' }, data },
    ...(type !== undefined && { type }),
  };
  return readCredential(
    { get: () => Promise.resolve(secret) } as never,
    gatewayOf(),
    new AbortController().signal,
  );
};

describe('readCredential', () => {
  it.each([['Opaque'], [undefined]])('reads a Secret of the type %s', async (type) => {
    expect(isProblem(await read(type))).toBe(false);
  });

  it('refuses a Secret of another type', async () => {
    expect(await read('kubernetes.io/basic-auth')).toMatchObject({
      reason: 'CredentialUnavailable',
      message:
        'Secret team-a/github-app of spec.gitHubAppRef has the type kubernetes.io/basic-auth; the type of a Secret cannot be changed: create another one with type Opaque, and reference it',
    });
  });
});
