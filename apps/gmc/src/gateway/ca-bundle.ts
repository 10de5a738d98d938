import { createHash } from 'node:crypto';
import { ifFound, messageOf, type ActionsGateway } from '@interlock/api';
import { Problem, type OrProblem } from '@interlock/base';
import { ConfigMap, Secret, type Client } from '@interlock/kube';
import { readCertificate } from '@interlock/service';
import { namespaceOf } from '../render/context.js';

/** Certificate authorities that were checked and can be used. */
export interface CaBundle {
  /** Hash of the certificates. */
  digest: string;
  certificates: number;
}

const maxBytes = 256 * 1024;
const markers = ['-----BEGIN CERTIFICATE-----', '-----END CERTIFICATE-----'];
const certificate = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/**
 * Reads the certificate authorities that a gateway names. Their content is not kept.
 *
 * @returns undefined when it does not name any; a problem that names the object, its key and the fix
 * @throws TypedError when the API server does not answer
 */
export async function readCaBundle(
  client: Pick<Client, 'get'>,
  gateway: ActionsGateway,
  signal: AbortSignal,
): Promise<OrProblem<CaBundle> | undefined> {
  const { gitHubCABundleRef: ref } = gateway.spec;
  if (ref === undefined) return undefined;
  const { kind, name, key } = ref;
  const namespace = namespaceOf(gateway);
  const place = `${kind} ${namespace}/${name}`;
  const data = await dataOf(client, kind, { name, namespace }, signal);
  if (data === undefined) {
    return new Problem(
      'CABundleNotFound',
      `${place} of spec.gitHubCABundleRef does not exist; create it with the key ${key}`,
    );
  }
  const value = data[key];
  if (value === undefined) {
    return new Problem(
      'CABundleNotFound',
      `${place} of spec.gitHubCABundleRef has no key ${key}; add it, or correct spec.gitHubCABundleRef.key`,
    );
  }
  return checkCaBundle(value, `key ${key} of ${place}`);
}

async function dataOf(
  client: Pick<Client, 'get'>,
  kind: 'ConfigMap' | 'Secret',
  key: { name: string; namespace: string },
  signal: AbortSignal,
): Promise<Record<string, Buffer> | undefined> {
  const isSecret = kind === 'Secret';
  const found = isSecret
    ? await ifFound(client.get(Secret, key, { signal }))
    : await ifFound(client.get(ConfigMap, key, { signal }));
  if (found === undefined) return undefined;
  const entries = Object.entries(found.data ?? {});
  return Object.fromEntries(
    entries.map(([name, text]) => [name, Buffer.from(text, isSecret ? 'base64' : 'utf8')]),
  );
}

/**
 * Checks certificates in PEM. Returns their digest and number, or why they cannot be used. Pure.
 *
 * @param place of the text, for messages
 */
export function checkCaBundle(bytes: Buffer, place: string): OrProblem<CaBundle> {
  if (bytes.length > maxBytes) {
    return invalid(`${place} has ${bytes.length} bytes; reduce it to ${maxBytes} bytes at most`);
  }
  const text = bytes.toString('utf8');
  if (text.includes('PRIVATE KEY-----')) {
    return invalid(`${place} contains a private key, which workers could read; include certificates only`);
  }
  const found = text.match(certificate) ?? [];
  const isComplete = markers.every((marker) => text.split(marker).length - 1 === found.length);
  if (found.length === 0 || !isComplete) {
    return invalid(`${place} does not contain a complete certificate in PEM; add one or more`);
  }
  for (const [index, pem] of found.entries()) {
    try {
      readCertificate(pem);
    } catch (error) {
      return invalid(`certificate ${index + 1} of ${place} cannot be read (${messageOf(error)}); correct it`);
    }
  }
  const digest = createHash('sha256').update(found.join('\n')).digest('hex').slice(0, 16);
  return { digest, certificates: found.length };
}

function invalid(message: string): Problem {
  return new Problem('CABundleInvalid', message, { transient: false });
}
