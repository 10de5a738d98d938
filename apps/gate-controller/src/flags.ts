import { readFileSync } from 'node:fs';
import { messageOf } from '@interlock/api';
import { auditSigner, type GateAuditSigner } from '@interlock/gating';
import {
  addressFlag,
  booleanFlag,
  durationFlag,
  listFlag,
  stringFlag,
  UsageError,
  type Flags,
} from '@interlock/service/flags';

export const gateFlags = {
  stateTtl: durationFlag({
    description: 'How long the state of a gate is valid if the controller does not renew it.',
    default: '1h',
    minMs: 10_000,
  }),
  auditTtl: durationFlag({
    description: 'How long a GateOverride is kept after it has ended; 0 keeps it forever.',
    default: '720h',
  }),
  calendarHosts: listFlag({
    description:
      'Host from which a GateKeeper may read calendars by URL. Can be repeated. By default, no host is allowed.',
    default: '',
  }),
  admissionBindAddress: addressFlag({
    description:
      'Address at which admission webhooks are served over TLS; they record the authors of GateOverrides. 0 disables them, so that these authors are not verified.',
    default: '0',
  }),
  admissionService: stringFlag({
    description: 'Name of the Service through which the API server reaches the admission webhooks.',
    default: 'gate-controller-admission',
  }),
  admissionSecret: stringFlag({
    description: 'Name of the Secret that stores the certificates of the admission webhooks.',
    default: 'gate-controller-admission',
  }),
  admissionConfiguration: stringFlag({
    description: 'Name of both the mutating and the validating webhook configuration.',
    default: 'interlock-gate-controller',
  }),
  admissionCertFile: stringFlag({
    description:
      'Certificate of the admission webhooks (PEM), used together with --admission-key-file instead of certificates that the controller issues.',
  }),
  admissionKeyFile: stringFlag({ description: 'Private key of --admission-cert-file (PEM).' }),
  auditKeyFile: stringFlag({
    description:
      'Private Ed25519 key (PEM) that signs the audit records. Without a key, they are not signed.',
  }),
  authorizeOverrides: booleanFlag({
    description:
      'Whether a user who creates a GateOverride needs the verb open or close on its Gate, as checked by SubjectAccessReview. Requires the admission webhooks.',
    default: true,
  }),
  gatesBindAddress: addressFlag({
    description: 'Address at which GET /v1/gates/<namespace>/<name> is served; 0 disables it.',
    default: '0',
  }),
  gatesCertFile: stringFlag({
    description:
      'Certificate of the server at --gates-bind-address (PEM), used together with --gates-key-file. Without it, the server uses plain HTTP.',
  }),
  gatesKeyFile: stringFlag({ description: 'Private key of --gates-cert-file (PEM).' }),
} as const satisfies Flags;

/**
 * Returns the signer with the key in a file; undefined without a file.
 *
 * @throws UsageError for a file without such a key
 */
export function auditSignerOf(file: string | undefined): GateAuditSigner | undefined {
  if (file === undefined) return undefined;
  try {
    return auditSigner(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new UsageError(`--audit-key-file ${file}: ${messageOf(error)}`);
  }
}
