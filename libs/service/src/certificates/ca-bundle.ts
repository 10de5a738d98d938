import { isTyped, type Kind, type KubeObject } from '@interlock/api';
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration, type Client } from '@interlock/kube';

/** The names of the webhook configurations whose webhooks this server answers. */
export interface WebhookConfigurations {
  mutating?: readonly string[];
  validating?: readonly string[];
}

/**
 * The annotation of configurations whose authority another component manages. The charts set it with a certificate that is not
 * issued here, so that pods of the previous rollout do not replace its authority.
 */
const external = { key: 'admission.interlock.dev/ca-bundle', value: 'external' } as const;

/** The part of a webhook configuration that is read. */
interface Configuration extends KubeObject {
  webhooks?: { name: string; clientConfig: { caBundle?: string } }[];
}

/**
 * Makes the API server trust `bundle` (PEM) for every webhook of the configurations, with a server-side apply of that
 * field, except for configurations that are marked as {@link external}. Writes only differences; any number of replicas may call it.
 *
 * @throws TypedError `NotFound` when a configuration does not exist and all others trust the bundle; other errors when one may not
 *   trust it
 */
export async function ensureCaBundle(
  client: Client,
  { mutating = [], validating = [] }: WebhookConfigurations,
  bundle: string,
  signal: AbortSignal,
): Promise<void> {
  const caBundle = Buffer.from(bundle).toString('base64');
  const ensure = async (kind: Kind<Configuration>, name: string) => {
    const { metadata, webhooks = [] } = await client.get(kind, { name }, { signal });
    if (metadata.annotations?.[external.key] === external.value) return;
    if (webhooks.every((webhook) => webhook.clientConfig.caBundle === caBundle)) return;
    const applied = webhooks.map((webhook) => ({ name: webhook.name, clientConfig: { caBundle } }));
    await client.apply(kind, { metadata: { name }, webhooks: applied }, { signal });
  };
  const all = [
    ...mutating.map((name) => [MutatingWebhookConfiguration as Kind<Configuration>, name] as const),
    ...validating.map((name) => [ValidatingWebhookConfiguration as Kind<Configuration>, name] as const),
  ];
  const errors: unknown[] = [];
  for (const [kind, name] of all) await ensure(kind, name).catch((error: unknown) => errors.push(error));
  const error = errors.find((one) => !isTyped(one, 'NotFound')) ?? errors[0];
  if (error !== undefined) throw error;
}
