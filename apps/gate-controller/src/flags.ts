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
} from '@interlock/service';

export const gateFlags = {
  stateTtl: durationFlag({
    description: 'How long the state of a gate may be believed when the controller does not renew it.',
    default: '1h',
    minMs: 10_000,
  }),
  auditTtl: durationFlag({
    description: 'How long a GateOverride is kept after it ended; 0: for ever.',
    default: '720h',
  }),
  calendarHosts: listFlag({
    description: 'Host whose calendars a GateKeeper may read by URL; may be repeated. None by default.',
    default: '',
  }),
  admissionBindAddress: addressFlag({
    description:
      'Where admission webhooks are served over TLS, and so GateOverrides are stamped; 0 switches it off, and then nobody vouches for who made one.',
    default: '0',
  }),
  admissionService: stringFlag({
    description: 'Name of the Service by which the API server reaches the admission webhooks.',
    default: 'gate-controller-admission',
  }),
  admissionSecret: stringFlag({
    description: 'Name of the Secret in which the certificates of the admission webhooks are kept.',
    default: 'gate-controller-admission',
  }),
  admissionConfiguration: stringFlag({
    description: 'Name of the mutating and of the validating webhook configuration.',
    default: 'interlock-gate-controller',
  }),
  admissionCertFile: stringFlag({
    description:
      'Certificate of the admission webhooks (PEM), with --admission-key-file, instead of certificates that the controller makes.',
  }),
  admissionKeyFile: stringFlag({ description: 'Its key (PEM).' }),
  auditKeyFile: stringFlag({
    description:
      'Private key of Ed25519 (PEM) that signs the records of the audit; without, they are not signed.',
  }),
  authorizeOverrides: booleanFlag({
    description:
      'Ask the API server whether the user who makes a GateOverride has the verb open or close on its Gate (SubjectAccessReview). Needs admission.',
    default: true,
  }),
  gatesBindAddress: addressFlag({
    description: 'Where GET /v1/gates/<namespace>/<name> is served; 0 switches it off.',
    default: '0',
  }),
  gatesCertFile: stringFlag({
    description: 'Certificate of that server (PEM), with --gates-key-file; without, it serves plain HTTP.',
  }),
  gatesKeyFile: stringFlag({ description: 'Its key (PEM).' }),
} as const satisfies Flags;

/** Returns what signs with the key in a file; undefined without a file. @throws UsageError for a file without such a key. */
export function auditSignerOf(file: string | undefined): GateAuditSigner | undefined {
  if (file === undefined) return undefined;
  try {
    return auditSigner(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new UsageError(`--audit-key-file ${file}: ${messageOf(error)}`);
  }
}
