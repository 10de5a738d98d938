import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem, type OrProblem } from '@interlock/base';
import { readAppCredential, type AppCredential } from '@interlock/broker';

const keys = ['appId', 'installationId', 'privateKey'] as const;
const maxBytes = 64 * 1024;

/**
 * Returns a function that reads the credential of the GitHub App from the folder in which its Secret is mounted. It reads the files
 * at each call, because the kubelet replaces them when the Secret changes.
 */
export function credentialFolder(folder: string): () => Promise<OrProblem<AppCredential>> {
  return async () => {
    try {
      const values = await Promise.all(
        keys.map(async (key) => [key, await readBounded(join(folder, key))] as const),
      );
      return readAppCredential(Object.fromEntries(values), folder);
    } catch (error) {
      return new Problem(
        'CredentialUnavailable',
        `the credential of the GitHub App in ${folder} cannot be read (${codeOf(error)}); mount the Secret with ${keys.join(', ')} there`,
        { cause: error },
      );
    }
  };
}

/**
 * Returns the text of a file; undefined when it is too large or missing, because a missing key is reported by name with
 * the others.
 */
async function readBounded(path: string): Promise<string | undefined> {
  try {
    const { size } = await stat(path);
    return size > maxBytes ? undefined : await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : 'unreadable';
}
