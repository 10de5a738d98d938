import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { delay, type Clock, type Logger } from '@interlock/base';
import { CertificateHolder } from './holder.js';
import type { CertificateSource } from './types.js';

interface FileCertificatesOptions {
  clock: Clock;
  log: Logger;
  /** PEM files, such as the files of a mounted Secret of cert-manager. */
  certFile: string;
  keyFile: string;
  /** Milliseconds between two reads of the files. Default: 10,000. */
  intervalMs?: number;
}

const defaultIntervalMs = 10_000;

/**
 * Returns a certificate in files that another program renews. While the certificate and the key do not match, the
 * previous pair stays in use.
 */
export function fileCertificates(options: FileCertificatesOptions): CertificateSource {
  return new FileCertificates(options);
}

class FileCertificates extends CertificateHolder<FileCertificatesOptions> implements CertificateSource {
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log, certFile, keyFile, intervalMs = defaultIntervalMs } = this.options;
    while (!signal.aborted) {
      try {
        const [cert, key] = await Promise.all([readFile(certFile, 'utf8'), readFile(keyFile, 'utf8')]);
        checkPair(cert, key);
        if (this.set({ cert, key })) log.info({ certFile }, 'serving a new certificate');
      } catch (error) {
        log.warn({ error, certFile, keyFile }, 'the serving certificate cannot be read');
      }
      await delay(clock, intervalMs, signal);
    }
  }
}

function checkPair(cert: string, key: string): void {
  if (new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) return;
  throw new Error('the key does not belong to the certificate');
}
