import type { ServingCertificate } from './types.js';

/** Holds the current certificate and reports when it changes. */
export class CertificateHolder<Options> {
  protected readonly options: Options;
  #certificate: ServingCertificate | undefined;
  readonly #listeners = new Set<(certificate: ServingCertificate) => void>();

  constructor(options: Options) {
    this.options = options;
  }

  current(): ServingCertificate | undefined {
    return this.#certificate;
  }

  onChange(listener: (certificate: ServingCertificate) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Replaces the certificate. Returns whether it differs from the previous one. */
  set({ cert, key }: ServingCertificate): boolean {
    if (this.#certificate?.cert === cert && this.#certificate.key === key) return false;
    this.#certificate = { cert, key };
    for (const listener of this.#listeners) listener(this.#certificate);
    return true;
  }
}
