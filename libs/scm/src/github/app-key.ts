import { TypedError } from '@interlock/api';
import { readRsaKey } from '@interlock/base';
import githubAppJwt from 'universal-github-app-jwt';
import type { AppKey } from './account.js';

/**
 * Returns a token that identifies a GitHub App.
 *
 * @param now in seconds since the epoch
 * @throws TypedError `Unauthorized` naming the key of the Secret
 */
export async function signAppToken(
  { appId, privateKey: text, secretKey }: Omit<AppKey, 'kind' | 'installationId'>,
  now: number,
): Promise<string> {
  try {
    const privateKey = readRsaKey(text);
    if (privateKey !== undefined) return (await githubAppJwt({ id: appId, privateKey, now })).token;
  } catch {
    // The errors may quote the key, so they are not passed on.
  }
  throw new TypedError(
    'Unauthorized',
    `the key ${secretKey} of the Secret is not an RSA key in PEM of at most 4,096 bits`,
    {
      reason: 'InvalidSecret',
    },
  );
}
