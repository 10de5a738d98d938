import type { AdmissionPlugin, AdmissionRequest } from '../../api/cluster.js';
import type { WebhookClient } from './client.js';
import { callMutatingWebhooks } from './mutate.js';
import { callValidatingWebhooks } from './validate.js';

/** Has the configured webhooks admit writes. They are never asked about what configures admission. */
export function admissionWebhooks(client: WebhookClient): AdmissionPlugin {
  return {
    mutate: async (request, cluster) => {
      if (isAsked(request)) await callMutatingWebhooks(cluster, client, request);
    },
    validate: async (request, cluster) => {
      if (isAsked(request)) await callValidatingWebhooks(cluster, client, request);
    },
  };
}

function isAsked({ resource, subresource }: AdmissionRequest): boolean {
  return resource.group !== 'admissionregistration.k8s.io' && subresource !== 'scale';
}
