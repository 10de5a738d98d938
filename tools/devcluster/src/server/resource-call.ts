import type { Cluster } from '../api/cluster.js';
import { parseBody } from '../api/decode.js';
import type { Resource } from '../registry/resource.js';
import { isObject } from '../schema/json.js';
import type { Json } from '../schema/types.js';
import { deleteOptions, type ParsedDeleteOptions } from './delete-options.js';
import type { ResourceRequest } from './request-info.js';
import type { WriteParams } from './write-request.js';

/** A parsed request for a resource. */
export interface ResourceCall extends WriteParams {
  cluster: Cluster;
  target: ResourceRequest;
  resource: Resource;
  accept: string | undefined;
  mediaType: string;
  body: string;
  signal: AbortSignal;
}

/** Returns the DeleteOptions that the body may contain. Any other content is refused. */
export function parsedDeleteOptions(call: ResourceCall): ParsedDeleteOptions {
  const body: Json = call.body === '' ? null : parseBody(call.body, call.mediaType, 'DeleteOptions');
  return deleteOptions(isObject(body) ? body : undefined, call.query);
}
