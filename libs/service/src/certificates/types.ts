/** A certificate with its key, PEM. */
export interface ServingCertificate {
  /** The certificate, and those between it and its authority. */
  readonly cert: string;
  readonly key: string;
}

/** Where a server has its certificate from; it may change at any time. */
export interface CertificateSource {
  /** Returns what to serve; undefined until it is known. */
  current(): ServingCertificate | undefined;
  /** Calls back with each new certificate. @returns a function that ends it. */
  onChange(listener: (certificate: ServingCertificate) => void): () => void;
  /** Keeps the certificate up to date until `signal` aborts. What goes wrong is logged and tried again; never rejects. */
  run(signal: AbortSignal): Promise<void>;
}
