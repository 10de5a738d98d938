import { createHash } from 'node:crypto';
import { actionsGatewayGroup, fieldManagers, ifFound, type ActionsGateway } from '@interlock/api';
import { Problem, type OrProblem } from '@interlock/base';
import { readAppCredential, type AppCredential } from '@interlock/broker';
import { controllerReference, Secret, type Client } from '@interlock/kube';
import { namespaceOf, type Installation } from '../render/context.js';
import { names } from '../render/names.js';
import { labelsOf } from '../render/objects.js';

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
  const data = Object.entries(secret.data ?? {}).map(([key, value]) => [
    key,
    Buffer.from(value, 'base64').toString(),
  ]);
  return readAppCredential(Object.fromEntries(data) as Record<string, string>, `${namespace}/${name}`);
}

const digestAnnotation = `${actionsGatewayGroup}/credential-digest`;

/**
 * Updates the copy of a central credential if it differs.
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
  const data = { appId, installationId, privateKey };
  const digest = createHash('sha256').update(JSON.stringify(data)).digest('hex');
  const copy = await ifFound(client.get(Secret, key, { signal }));
  if (copy?.metadata.annotations?.[digestAnnotation] === digest) return false;
  const metadata = {
    ...key,
    labels: labelsOf(gateway, 'agc', installation),
    annotations: { [digestAnnotation]: digest },
    ownerReferences: [controllerReference(gateway)],
  };
  await client.apply(Secret, { metadata, stringData: data }, { fieldManager: fieldManagers.gmc, signal });
  return true;
}
