import type { BindAddress } from '../http/address.js';

/** Where an app serves its admission webhooks, and with which certificate. */
export interface AdmissionOptions {
  address: BindAddress;
  /** Namespace of the process, its Service and its Secret. */
  namespace: string;
  /** The Service through which the API server reaches the process. */
  service: string;
  /** The Secret that stores the certificates that the process issues itself. */
  secret: string;
  /** PEM files of a certificate that another program renews and makes trusted. */
  files?: { certFile: string; keyFile: string } | undefined;
}
