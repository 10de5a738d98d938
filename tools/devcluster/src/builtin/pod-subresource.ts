import { badRequest } from '../api/api-error.js';
import type { KubeObject } from '../object.js';
import type { Call, CallAnswer } from '../registry/resource.js';
import { isObject } from '../schema/json.js';

/** What a subresource of a pod answers that has no object of its own. */
export const created: CallAnswer = {
  code: 201,
  object: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 },
};

/** Returns the body as an object of a kind that carries the name of the request. Throws a 400. */
export function asNamed({ body, name }: Call, apiVersions: readonly string[], kind: string): KubeObject {
  if (!isObject(body)) throw badRequest(`the body is not a ${kind}`);
  const { apiVersion = apiVersions[0] ?? '', kind: sentKind = kind } = body;
  if (sentKind !== kind || typeof apiVersion !== 'string' || !apiVersions.includes(apiVersion)) {
    throw badRequest(`${String(sentKind)} in ${JSON.stringify(apiVersion)} cannot be handled as a ${kind}`);
  }
  const metadata = isObject(body['metadata']) ? body['metadata'] : {};
  if (metadata['name'] !== name) throw badRequest(`name in URL does not match name in ${kind} object`);
  return { ...body, apiVersion, kind, metadata: { ...metadata, name } };
}
