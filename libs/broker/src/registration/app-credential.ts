import { Problem, type OrProblem } from '@interlock/base';

/** The credential of the GitHub App with which the gateway registers runners. `privateKey` is a secret. */
export interface AppCredential {
  appId: string;
  /** PEM, PKCS#1 or PKCS#8. */
  privateKey: string;
  installationId: string;
}

const maxKeyLength = 32 * 1024;
const labels = ['RSA PRIVATE KEY', 'PRIVATE KEY'];

/**
 * Returns the credential in the Secret of a GitHub App, or the problem with the Secret.
 *
 * @param data values of the Secret as texts, decoded
 * @param secretName for messages
 */
export function readAppCredential(
  data: Readonly<Record<string, string | undefined>>,
  secretName: string,
): OrProblem<AppCredential> {
  const appId = data['appId']?.trim();
  const installationId = data['installationId']?.trim();
  const privateKey = data['privateKey']?.trim();
  for (const [key, value] of Object.entries({ appId, installationId, privateKey })) {
    if (value === undefined || value === '') return malformed(secretName, key, 'is missing');
  }
  if (!isId(appId)) return malformed(secretName, 'appId', 'is not a decimal number');
  if (!isId(installationId)) return malformed(secretName, 'installationId', 'is not a decimal number');
  if (privateKey === undefined || !isPem(privateKey)) {
    return malformed(secretName, 'privateKey', 'is not an RSA private key in PEM');
  }
  return { appId, installationId, privateKey };
}

function isId(value: string | undefined): value is string {
  return value !== undefined && /^\d{1,20}$/.test(value);
}

function isPem(value: string): boolean {
  return (
    value.length <= maxKeyLength &&
    labels.some(
      (label) => value.startsWith(`-----BEGIN ${label}-----`) && value.endsWith(`-----END ${label}-----`),
    )
  );
}

function malformed(secretName: string, key: string, what: string): Problem {
  return new Problem(
    'CredentialUnavailable',
    `key ${key} of the Secret ${secretName} ${what}; correct the Secret`,
    {
      transient: false,
    },
  );
}
