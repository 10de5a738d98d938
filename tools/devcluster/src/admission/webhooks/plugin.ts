import type { AdmissionPlugin, AdmissionRequest } from '../../api/cluster.js';
import { decodeManagers } from '../../apply/index.js';
import type { ObjectMeta } from '../../object.js';
import type { WebhookClient } from './client.js';
import { callMutatingWebhooks } from './mutate.js';
import { callValidatingWebhooks } from './validate.js';

/** Has the configured mutating webhooks change what is written. */
export function mutatingWebhooks(client: WebhookClient): AdmissionPlugin {
  return {
    mutate: async (request, cluster) => {
      if (!isAsked(request)) return;
      const managedFields = request.object?.metadata.managedFields;
      await callMutatingWebhooks(cluster, client, request);
      restoreManagedFields(request, managedFields);
    },
  };
}

/** Has the configured validating webhooks admit writes. */
export function validatingWebhooks(client: WebhookClient): AdmissionPlugin {
  return {
    validate: async (request, cluster) => {
      if (isAsked(request)) await callValidatingWebhooks(cluster, client, request);
    },
  };
}

/** Webhooks are never asked about what configures admission. */
function isAsked({ resource }: AdmissionRequest): boolean {
  return resource.group !== 'admissionregistration.k8s.io';
}

/** What a webhook made of the managed fields has to be readable, else it does not count (apiserver fieldmanager, admission.go). */
function restoreManagedFields({ object, warn }: AdmissionRequest, before: ObjectMeta['managedFields']): void {
  if (object === undefined) return;
  try {
    decodeManagers(object);
  } catch (error) {
    if (before === undefined) Reflect.deleteProperty(object.metadata, 'managedFields');
    else object.metadata.managedFields = before;
    const why = String((error as { message?: unknown }).message);
    warn(
      `.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: ${why}`,
    );
  }
}
