import type { ServingCertificate } from './types.js';

/** Holds the certificate in use and tells who wants to know when it changes. */
export class CertificateHolder {
  private certificate: ServingCertificate | undefined;
  private readonly listeners = new Set<(certificate: ServingCertificate) => void>();

  current(): ServingCertificate | undefined {
    return this.certificate;
  }

  onChange(listener: (certificate: ServingCertificate) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** @returns whether it is another one than before. */
  set({ cert, key }: ServingCertificate): boolean {
    if (this.certificate?.cert === cert && this.certificate.key === key) return false;
    this.certificate = { cert, key };
    for (const listener of this.listeners) listener(this.certificate);
    return true;
  }
}
