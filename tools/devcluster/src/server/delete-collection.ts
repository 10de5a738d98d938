import { ApiError } from '../api/api-error.js';
import { deleteObject } from '../api/delete.js';
import type { Answer } from './answer.js';
import { deleteContext } from './delete-options.js';
import { list } from './list.js';
import { selectionOf } from './list-options.js';
import { parsedDeleteOptions, type ResourceCall } from './resource-call.js';

/** Deletes every object that the selectors match, and returns the previous list. Throws ApiError. */
export async function deleteCollection(call: ResourceCall): Promise<Answer> {
  const { cluster, resource, target, query, signal } = call;
  const options = parsedDeleteOptions(call);
  const context = { ...deleteContext(call, options), ofCollection: true };
  const answer = await list(cluster, resource, target.namespace, query, 'object', signal);
  const { matches } = selectionOf(resource, query);
  const selected = cluster.store.entries(resource.collection, target.namespace).filter(matches);
  for (const { object } of selected) {
    const place = { namespace: object.metadata.namespace ?? '', name: object.metadata.name };
    try {
      await deleteObject(cluster, resource, place, options, context);
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 404)) throw error;
    }
  }
  return answer;
}
