/** A certificate with its key, in PEM. */
export interface ServingCertificate {
  /** The certificate, followed by the intermediate certificates up to its authority. */
  readonly cert: string;
  readonly key: string;
}

/** The source of the certificate of a server. The certificate may change at any time. */
export interface CertificateSource {
  /** Returns the certificate to serve; undefined until it is known. */
  current(): ServingCertificate | undefined;
  /** Calls back with each new certificate. Returns a function that ends the subscription. */
  onChange(listener: (certificate: ServingCertificate) => void): () => void;
  /** Keeps the certificate up to date until `signal` aborts. Errors are logged and retried; never rejects. */
  run(signal: AbortSignal): Promise<void>;
}
