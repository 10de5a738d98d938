import { createHash } from 'node:crypto';
import { apiVersion, kindSchema, listMetaName, metaDefinitions, objectMetaName } from './definitions.js';
import { definitionName, groupVersionPath, reference } from './model.js';
import type { OpenApiDocument, OpenApiGroupVersion, OpenApiKind } from './model.js';
import { pathsOf } from './operations.js';
import { anyObject } from '../dsl.js';

/**
 * Returns the answer to `GET /openapi/v3`: the address of the document of each group version. The hash in the address
 * changes with the document, because clients cache documents by their address.
 */
export function openApiIndex(groupVersions: readonly OpenApiGroupVersion[]): {
  paths: Record<string, { serverRelativeURL: string }>;
} {
  const entries = groupVersions.map((groupVersion) => {
    const path = groupVersionPath(groupVersion);
    const text = JSON.stringify(openApiDocument(groupVersion));
    const hash = createHash('sha512').update(text).digest('hex').toUpperCase();
    return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }] as const;
  });
  return { paths: Object.fromEntries(entries) };
}

/**
 * Returns the answer to `GET /openapi/v3/<api/v1 | apis/group/version>`: the OpenAPI 3.0 document of a group version,
 * with the schemas of its kinds and their operations.
 *
 * kubectl 1.27 and later reads these documents, as `application/json`, for `explain`, to learn whether the server
 * validates fields (`fieldValidation` among the parameters of a patch) and for the merge keys of a client-side apply
 * (kinds with `strategicMerge`). It reads `/openapi/v2`, as protobuf, only for kinds that these documents do not
 * describe.
 */
export function openApiDocument({ group, version, kinds }: OpenApiGroupVersion): OpenApiDocument {
  const schemas: Record<string, object> = { ...metaDefinitions };
  for (const kind of kinds) Object.assign(schemas, schemasOf(group, version, kind));
  for (const other of subresourceKinds(kinds)) {
    schemas[definitionName(other.group, other.version, other.kind)] ??= published(other, anyObject());
  }
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version },
    paths: Object.assign({}, ...kinds.map((kind) => pathsOf(group, version, kind))),
    components: { schemas },
  };
}

interface GroupVersionKind {
  group: string;
  version: string;
  kind: string;
}

function subresourceKinds(kinds: readonly OpenApiKind[]): GroupVersionKind[] {
  return kinds.flatMap(({ subresources = [] }) =>
    subresources.flatMap(({ kind }) => (kind === undefined ? [] : [kind])),
  );
}

function schemasOf(
  group: string,
  version: string,
  { kind, schema = anyObject() }: OpenApiKind,
): Record<string, object> {
  const name = definitionName(group, version, kind);
  const list = {
    type: 'object',
    description: `${kind}List is a list of ${kind}.`,
    required: ['items'],
    properties: {
      apiVersion: apiVersion,
      items: { type: 'array', description: 'The objects.', items: reference(name) },
      kind: kindSchema,
      metadata: { description: 'Metadata of the list.', allOf: [reference(listMetaName)] },
    },
    'x-kubernetes-group-version-kind': [{ group, version, kind: `${kind}List` }],
  };
  return { [name]: published({ group, version, kind }, schema), [`${name}List`]: list };
}

/** Returns a kind's schema as it is published: with the fields that every object has. */
function published({ group, version, kind }: GroupVersionKind, schema: object): object {
  const properties = 'properties' in schema && typeof schema.properties === 'object' ? schema.properties : {};
  return {
    ...schema,
    properties: {
      apiVersion: apiVersion,
      kind: kindSchema,
      ...properties,
      metadata: { description: 'Standard metadata of the object.', allOf: [reference(objectMetaName)] },
    },
    'x-kubernetes-group-version-kind': [{ group, version, kind }],
  };
}
