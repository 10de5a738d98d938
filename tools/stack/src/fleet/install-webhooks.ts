import { readFile } from 'node:fs/promises';
import type { Kind } from '@interlock/api';
import {
  MutatingWebhookConfiguration,
  Service,
  ValidatingWebhookConfiguration,
  type Client,
} from '@interlock/kube';
import { parse } from 'yaml';
import { chartFile } from '../paths.js';
import { systemNamespace } from './install.js';

const fieldManager = 'stack';

/** What an app's chart says of a webhook, beside the Service. */
interface ChartWebhook {
  name: string;
  path: string;
  [field: string]: unknown;
}

/** Returns the name of the Service by which the API server reaches the admission webhooks of an app. */
export function admissionService(app: string): string {
  return `${app}-admission`;
}

/** Where the API server reaches the admission webhooks of an app that runs outside of the cluster. */
interface WebhookAddress {
  /** At which the app listens. */
  port: number;
  /** Of the machine of the app, as the API server knows it. Default `localhost`. */
  host?: string | undefined;
  /** Of the app. Default: that of the apps in an embedded cluster. */
  namespace?: string | undefined;
}

/**
 * Makes the webhook configurations of an app exist, as its chart renders them, and a Service that routes to the app: an
 * API server calls a webhook of a Service of type ExternalName at that name and the port of the configuration.
 */
export async function installWebhooks(
  client: Client,
  app: string,
  { port, host = 'localhost', namespace = systemNamespace }: WebhookAddress,
): Promise<void> {
  const service = { namespace, name: admissionService(app) };
  const spec = { type: 'ExternalName', externalName: host };
  await client.apply(Service, { metadata: service, spec }, { fieldManager });
  const text = await readFile(chartFile(app, 'files/webhooks.yaml'), 'utf8');
  const { mutating, validating } = parse(text) as Partial<Record<'mutating' | 'validating', ChartWebhook[]>>;
  const apply = async (kind: Kind, webhooks: readonly ChartWebhook[] = []): Promise<void> => {
    if (webhooks.length === 0) return;
    await client.apply(
      kind,
      {
        metadata: { name: `interlock-${app}` },
        webhooks: webhooks.map((webhook) => complete({ ...service, port }, webhook)),
      },
      { fieldManager },
    );
  };
  await apply(MutatingWebhookConfiguration, mutating);
  await apply(ValidatingWebhookConfiguration, validating);
}

function complete(service: object, { path, ...webhook }: ChartWebhook): object {
  return {
    ...webhook,
    clientConfig: { service: { ...service, path } },
    sideEffects: 'None',
    timeoutSeconds: 5,
    admissionReviewVersions: ['v1'],
  };
}
