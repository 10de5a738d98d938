import { readFile } from 'node:fs/promises';
import type { Kind } from '@interlock/api';
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration, type Client } from '@interlock/kube';
import { parse } from 'yaml';
import { chartFile } from '../paths.js';
import { systemNamespace } from './install.js';

/** What an app's chart says of a webhook, beside the Service. */
interface ChartWebhook {
  name: string;
  path: string;
  [field: string]: unknown;
}

/** @returns the name of the Service by which the API server reaches the admission webhooks of an app. */
export function admissionService(app: string): string {
  return `${app}-admission`;
}

/** Makes the webhook configurations of an app exist, as its chart renders them. */
export async function installWebhooks(client: Client, app: string): Promise<void> {
  const text = await readFile(chartFile(app, 'files/webhooks.yaml'), 'utf8');
  const { mutating, validating } = parse(text) as Record<'mutating' | 'validating', ChartWebhook[]>;
  const apply = (kind: Kind, webhooks: readonly ChartWebhook[]) =>
    client.apply(
      kind,
      { metadata: { name: `interlock-${app}` }, webhooks: webhooks.map((webhook) => complete(app, webhook)) },
      { fieldManager: 'stack' },
    );
  await apply(MutatingWebhookConfiguration, mutating);
  await apply(ValidatingWebhookConfiguration, validating);
}

function complete(app: string, { path, ...webhook }: ChartWebhook): object {
  return {
    ...webhook,
    clientConfig: { service: { namespace: systemNamespace, name: admissionService(app), path, port: 443 } },
    sideEffects: 'None',
    timeoutSeconds: 5,
    admissionReviewVersions: ['v1'],
  };
}
