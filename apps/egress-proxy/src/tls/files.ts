import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext, type SecureContextOptions } from 'node:tls';

const blockStart = '-----BEGIN ';

export interface TlsFiles {
  certFile: string;
  keyFile: string;
  /** Authorities of the client certificates; undefined if none are required. */
  clientCaFile?: string | undefined;
}

/** The contents of the files. */
export type TlsMaterial = Pick<SecureContextOptions, 'cert' | 'key' | 'ca' | 'minVersion'>;

/**
 * Returns the contents of the files, after a check that they are complete and belong together.
 *
 * @throws an Error when one is missing or incomplete, or the key does not match the certificate
 */
export async function readTlsFiles({ certFile, keyFile, clientCaFile }: TlsFiles): Promise<TlsMaterial> {
  const [cert, key, ca] = await Promise.all([
    textOf(certFile),
    textOf(keyFile),
    clientCaFile === undefined ? undefined : textOf(clientCaFile),
  ]);
  /* Node.js takes an empty text as one that is not given: it would serve no certificate, or trust every public authority. */
  if (cert === '') throw new Error(`${certFile} is empty; it must contain a certificate in PEM`);
  if (key === '') throw new Error(`${keyFile} is empty; it must contain a private key in PEM`);
  if (clientCaFile !== undefined && ca !== undefined) checkAuthorities(clientCaFile, ca);
  const material: TlsMaterial = { cert, key, minVersion: 'TLSv1.2', ca };
  try {
    createSecureContext(material);
  } catch (error) {
    /* The message of OpenSSL does not name the files. */
    const problem = `${certFile} and ${keyFile} cannot be used: ${(error as Error).message}`;
    throw new Error(`${problem}; they must contain a certificate in PEM and its private key`, {
      cause: error,
    });
  }
  return material;
}

/** Returns the contents of a file. The error of the operating system does not always name it. */
async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const problem = `${file} cannot be read: ${(error as Error).message}`;
    throw new Error(`${problem}; mount it so that this user can read it, or correct its path`, {
      cause: error,
    });
  }
}

/** Checks what Node.js does not check: Node.js ignores a part that is not a certificate, so that an authority would be missing. */
function checkAuthorities(file: string, pem: string): void {
  const [, ...blocks] = pem.split(blockStart);
  try {
    for (const block of blocks) new X509Certificate(blockStart + block);
    if (blocks.length > 0) return;
  } catch {
    /* The message of OpenSSL does not name the file. */
  }
  throw new Error(`${file} is not complete; it must contain certificates in PEM, and nothing else`);
}

/** Returns whether two versions of the files are equal. */
export function isSameMaterial(one: TlsMaterial, other: TlsMaterial): boolean {
  return one.cert === other.cert && one.key === other.key && one.ca === other.ca;
}
