import type { AdmissionPlugin, AdmissionRequest } from '../../api/cluster.js';
import { decodeManagers } from '../../apply/index.js';
import type { ObjectMeta } from '../../object.js';
import type { WebhookClient } from './client.js';
import { callMutatingWebhooks } from './mutate.js';
import { callValidatingWebhooks } from './validate.js';

/** Calls the configured mutating webhooks. */
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

/** Calls the configured validating webhooks. */
export function validatingWebhooks(client: WebhookClient): AdmissionPlugin {
  return {
    validate: async (request, cluster) => {
      if (isAsked(request)) await callValidatingWebhooks(cluster, client, request);
    },
  };
}

/** Webhooks are never called for objects that configure admission. */
function isAsked({ resource }: AdmissionRequest): boolean {
  return resource.group !== 'admissionregistration.k8s.io';
}

/** Restores the managed fields if those from a webhook are invalid (apiserver fieldmanager, admission.go). */
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
