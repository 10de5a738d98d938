import { workerDefaults } from '@interlock/api';
import { Secret, type Client, type Pod } from '@interlock/kube';

/** Returns the payload that a worker pod mounts, byte for byte: the parts that its projected volume lists. */
export async function readPayload(client: Pick<Client, 'get'>, pod: Pod): Promise<string> {
  const { namespace = '' } = pod.metadata;
  const mount = pod.spec?.containers
    .find(({ name }) => name === 'runner')
    ?.volumeMounts?.find(({ mountPath }) => mountPath === workerDefaults.payloadFolder);
  const volume = pod.spec?.volumes?.find(({ name }) => name === mount?.name);
  const parts: Buffer[] = [];
  for (const { secret } of volume?.projected?.sources ?? []) {
    const { data = {} } = await client.get(Secret, { name: secret?.name ?? '', namespace });
    for (const { key } of secret?.items ?? []) parts.push(Buffer.from(data[key] ?? '', 'base64'));
  }
  return Buffer.concat(parts).toString();
}
