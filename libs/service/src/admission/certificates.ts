import type { Clock, Logger } from '@interlock/base';
import type { Client } from '@interlock/kube';
import { fileCertificates } from '../certificates/file-source.js';
import { secretCertificates } from '../certificates/secret-source.js';
import type { WebhookConfigurations } from '../certificates/ca-bundle.js';
import type { CertificateSource } from '../certificates/types.js';
import { UsageError } from '../flags/define.js';
import type { AdmissionOptions } from './options.js';

interface AdmissionCertificateOptions extends Omit<AdmissionOptions, 'address'> {
  client: Client;
  clock: Clock;
  log: Logger;
  configurations: WebhookConfigurations;
}

/**
 * Returns the certificates of a server for admission webhooks: the certificates in the files, or the certificates
 * that the replicas issue themselves.
 */
export function admissionCertificates(options: AdmissionCertificateOptions): CertificateSource {
  const { client, clock, log, namespace, service, secret, configurations, files } = options;
  if (files !== undefined) return fileCertificates({ clock, log, ...files });
  return secretCertificates({
    ...{ client, clock, log, configurations },
    secret: { namespace, name: secret },
    dnsNames: [`${service}.${namespace}.svc`, `${service}.${namespace}.svc.cluster.local`],
  });
}

/**
 * Returns the files of a certificate if both are given.
 *
 * @throws UsageError when only one is given
 */
export function certificateFiles(
  name: string,
  certFile: string | undefined,
  keyFile: string | undefined,
): { files?: { certFile: string; keyFile: string } } {
  if (certFile === undefined && keyFile === undefined) return {};
  if (certFile !== undefined && keyFile !== undefined) return { files: { certFile, keyFile } };
  throw new UsageError(`--${name}-cert-file and --${name}-key-file must be set together`);
}
