import { ifFound, type ActionsGateway } from '@interlock/api';
import { Problem, type OrProblem } from '@interlock/base';
import { readAppCredential, type AppCredential } from '@interlock/broker';
import { controllerReference, isControlledBy, Secret, type Client } from '@interlock/kube';
import { namespaceOf, type Installation } from '../render/context.js';
import { names } from '../render/names.js';
import { labelsOf } from '../render/objects.js';

/** The type that the Secret of a GitHub App has. Other types belong to other components of the cluster. */
const opaque = 'Opaque';

/**
 * Reads the Secret that a gateway names. Its content is not kept.
 *
 * @returns the credential, or a problem that names the key of the Secret and the fix
 * @throws TypedError when the API server does not answer
 */
export async function readCredential(
  client: Pick<Client, 'get'>,
  { metadata, spec: { gitHubAppRef } }: ActionsGateway,
  signal: AbortSignal,
): Promise<OrProblem<AppCredential>> {
  const { name, namespace = metadata.namespace ?? '' } = gitHubAppRef;
  const secret = await ifFound(client.get(Secret, { name, namespace }, { signal }));
  if (secret === undefined) {
    return new Problem(
      'SecretNotFound',
      `Secret ${namespace}/${name} of spec.gitHubAppRef does not exist; create it with appId, installationId and privateKey`,
    );
  }
  const { type = opaque } = secret;
  if (type !== opaque) {
    return new Problem(
      'CredentialUnavailable',
      `Secret ${namespace}/${name} of spec.gitHubAppRef has the type ${type}; the type of a Secret cannot be changed: create another one with type ${opaque}, and reference it`,
      { transient: false },
    );
  }
  const data = Object.entries(secret.data ?? {}).map(([key, value]) => [
    key,
    Buffer.from(value, 'base64').toString(),
  ]);
  return readAppCredential(Object.fromEntries(data) as Record<string, string>, `${namespace}/${name}`);
}

/**
 * Updates the copy of a central credential if it differs, or does not belong to this gateway.
 *
 * @returns whether it was written
 * @throws TypedError
 */
export async function copyCredential(
  client: Pick<Client, 'get' | 'apply'>,
  gateway: ActionsGateway,
  credential: AppCredential,
  installation: Installation,
  signal: AbortSignal,
): Promise<boolean> {
  const key = { name: names.credential, namespace: namespaceOf(gateway) };
  const { appId, installationId, privateKey } = credential;
  const data = Object.fromEntries(
    Object.entries({ appId, installationId, privateKey }).map(([name, value]) => [
      name,
      Buffer.from(value).toString('base64'),
    ]),
  );
  const copy = await ifFound(client.get(Secret, key, { signal }));
  const isCurrent = Object.entries(data).every(([name, value]) => copy?.data?.[name] === value);
  if (copy !== undefined && isCurrent && isControlledBy(copy, gateway)) return false;
  const metadata = {
    ...key,
    labels: labelsOf(gateway, 'agc', installation),
    ownerReferences: [controllerReference(gateway)],
  };
  await client.apply(Secret, { metadata, data }, { signal });
  return true;
}
