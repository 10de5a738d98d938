import { generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';

export interface RunnerKey {
  publicKey: KeyObject;
  privateKey: KeyObject;
}

const generate = promisify(generateKeyPair);

/** RSA-2048 keys for runners. A few are generated on first use and reused in turn, because generating a key takes long. */
export class RunnerKeys {
  readonly #keys: Promise<RunnerKey>[] = [];
  #next = 0;

  constructor(readonly size = 2) {}

  take(): Promise<RunnerKey> {
    const index = this.#next++ % this.size;
    return (this.#keys[index] ??= generate('rsa', { modulusLength: 2048 }));
  }
}
