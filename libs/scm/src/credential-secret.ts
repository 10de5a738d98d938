import { TypedError } from '@interlock/api';
import type { Secret } from '@interlock/kube';

/**
 * The types of Secrets that hold credentials for an SCM. All others belong to the cluster, to a tool or to another
 * protocol (service-account tokens, bootstrap tokens, Helm releases, image registries, TLS, SSH): a resource that
 * names one could otherwise send it to a server, on behalf of a user who may not read Secrets.
 */
const credentialSecretTypes = ['Opaque', 'kubernetes.io/basic-auth'] as const;

/**
 * Returns the decoded data of a Secret with a credential.
 *
 * @param field the field that refers to the Secret, for the error.
 * @throws TypedError `Unauthorized` with reason `SecretTypeNotAllowed` for a type that does not hold credentials.
 */
export function credentialData(
  { metadata, type = 'Opaque', data = {} }: Pick<Secret, 'metadata' | 'type' | 'data'>,
  field: string,
): Record<string, string> {
  if (!credentialSecretTypes.some((allowed) => allowed === type)) {
    throw new TypedError(
      'Unauthorized',
      `${field}: Secret ${metadata.namespace ?? ''}/${metadata.name} is of type ${type}, which is not used as a credential; name one of type ${credentialSecretTypes.join(' or ')}`,
      { reason: 'SecretTypeNotAllowed' },
    );
  }
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, Buffer.from(value, 'base64').toString('utf8')]),
  );
}
