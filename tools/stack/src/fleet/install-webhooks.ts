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

/** The webhook configuration in the chart of an app, without the Service. */
interface ChartWebhook {
  name: string;
  path: string;
  [field: string]: unknown;
}

/** Returns the name of the Service through which the API server calls the admission webhooks of an app. */
export function admissionService(app: string): string {
  return `${app}-admission`;
}

/** The address at which the API server reaches the admission webhooks of an app outside of the cluster. */
interface WebhookAddress {
  /** Port on which the app listens. */
  port: number;
  /** Host name or address at which the API server reaches the machine of the app. Default: `localhost`. */
  host?: string | undefined;
  /** Namespace of the app. Default: the namespace of the apps in an embedded cluster. */
  namespace?: string | undefined;
}

/**
 * Creates or updates the webhook configurations of an app as its chart renders them, and a Service that routes to the
 * app. An API server calls a webhook of a Service of type ExternalName at the external name and the port of the
 * configuration.
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
