import { createPublicKey, generateKeyPair, verify, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';

const generate = promisify(generateKeyPair);

/** Returns a new private key in the format of GitHub: PEM, PKCS#1. */
export async function generateAppKey(): Promise<string> {
  const { privateKey } = await generate('rsa', { modulusLength: 2048 });
  return privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
}

/** The keys of an App, of which it may have several: a client signs with any of them. */
export class AppKeys {
  /** Public keys by private key, in PEM. */
  readonly #keys = new Map<string, KeyObject>();

  /** @throws Error when it is not a key */
  add(privateKey: string): void {
    this.#keys.set(privateKey, createPublicKey(privateKey));
  }

  /** Removes a key, so that its signatures are refused. Returns whether it existed. */
  remove(privateKey: string): boolean {
    return this.#keys.delete(privateKey);
  }

  /** Returns whether one of the keys has signed a text with RS256. */
  verify(text: Buffer, signature: Buffer): boolean {
    return [...this.#keys.values()].some((key) => verify('sha256', text, key, signature));
  }
}
