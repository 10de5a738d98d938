import { readFile } from 'node:fs/promises';
import { createSecureContext, type SecureContextOptions } from 'node:tls';

export interface TlsFiles {
  certFile: string;
  keyFile: string;
  /** Authorities of the client certificates; undefined if none are required. */
  clientCaFile?: string | undefined;
}

/** The contents of the files. */
export type TlsMaterial = Pick<SecureContextOptions, 'cert' | 'key' | 'ca' | 'minVersion'>;

/**
 * Reads the files and checks that they belong together.
 *
 * @throws an Error when one is missing, or the key is not that of the certificate
 */
export async function readTlsFiles({ certFile, keyFile, clientCaFile }: TlsFiles): Promise<TlsMaterial> {
  const [cert, key, ca] = await Promise.all([
    readFile(certFile, 'utf8'),
    readFile(keyFile, 'utf8'),
    clientCaFile === undefined ? undefined : readFile(clientCaFile, 'utf8'),
  ]);
  const material: TlsMaterial = { cert, key, minVersion: 'TLSv1.2', ca };
  createSecureContext(material);
  return material;
}

/** Returns whether two versions of the files are equal. */
export function isSameMaterial(one: TlsMaterial, other: TlsMaterial): boolean {
  return one.cert === other.cert && one.key === other.key && one.ca === other.ca;
}
