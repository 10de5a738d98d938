import { ApiError, notFound } from '../../api/api-error.js';
import type { Call, Subresource } from '../../registry/resource.js';
import { keyOf } from '../../store/entry.js';

function stream(name: string, kind: string): Subresource {
  return {
    kind,
    verbs: ['create', 'get'],
    handle: ({ cluster, resource, namespace, name: pod }: Call) => {
      if (cluster.store.get(resource.collection, keyOf(namespace, pod)) === undefined) {
        throw notFound({ group: '', kind: resource.plural, name: pod });
      }
      throw new ApiError(501, 'NotImplemented', `devcluster does not support pods/${name}`);
    },
  };
}

/** Subresources that connect a client to a container: they are discovered and authorized, and then refused. */
export const podStreams: Readonly<Record<string, Subresource>> = {
  attach: stream('attach', 'PodAttachOptions'),
  exec: stream('exec', 'PodExecOptions'),
  portforward: stream('portforward', 'PodPortForwardOptions'),
};
