import { badRequest } from '../../api/api-error.js';
import { updateObject } from '../../api/update.js';
import { textsAt } from '../../object.js';
import type { Call, CallAnswer } from '../../registry/resource.js';
import { isObject } from '../../schema/json.js';

/** Handles `PUT /api/v1/namespaces/<name>/finalize`: sets `spec.finalizers`, and removes the namespace without any. */
export async function finalizeNamespace(call: Call): Promise<CallAnswer> {
  const { body, cluster, resource, name, context } = call;
  if (!isObject(body)) throw badRequest('the body is not a Namespace');
  const { object } = await updateObject(
    cluster,
    resource,
    {
      namespace: '',
      name,
      subresource: 'finalize',
      change: (live) => {
        const metadata = isObject(body['metadata']) ? body['metadata'] : {};
        const { resourceVersion } = metadata;
        if (typeof resourceVersion === 'string') live.metadata.resourceVersion = resourceVersion;
        const finalizers = textsAt(body, 'spec', 'finalizers');
        live['spec'] = finalizers.length === 0 ? {} : { finalizers };
        return live;
      },
    },
    context,
  );
  return { code: 200, object };
}
