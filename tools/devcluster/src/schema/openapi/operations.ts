import { deleteOptionsName, patch, statusName } from './definitions.js';
import { definitionName, groupVersionPath, reference } from './model.js';
import type { OpenApiKind } from './model.js';

type PathItem = Record<string, unknown>;
interface GroupVersionKind {
  group: string;
  version: string;
  kind: string;
}

/** One path and the type of the objects behind it. */
interface Endpoint {
  gvk: GroupVersionKind;
  strategicMerge: boolean;
  namespaced: boolean;
}

const query = (name: string, type: string, description: string): object => ({
  name,
  in: 'query',
  description,
  schema: { type, uniqueItems: true },
});
const path = (name: string, description: string): object => ({
  name,
  in: 'path',
  description,
  required: true,
  schema: { type: 'string', uniqueItems: true },
});

const pretty = query('pretty', 'string', 'Whether the answer is indented.');
const write = [
  query('dryRun', 'string', 'All: do everything but persist.'),
  query('fieldManager', 'string', 'The name of the workflow that makes the change.'),
  query('fieldValidation', 'string', 'What happens to unknown and duplicate fields: Ignore, Warn or Strict.'),
];
const force = query('force', 'boolean', 'Whether apply takes fields from other managers.');
const list = [
  query('allowWatchBookmarks', 'boolean', 'Whether a watch sends bookmarks.'),
  query('continue', 'string', 'The token of the page to read.'),
  query('fieldSelector', 'string', 'Selects objects by fields.'),
  query('labelSelector', 'string', 'Selects objects by labels.'),
  query('limit', 'integer', 'The largest number of items in a page.'),
  query('resourceVersion', 'string', 'The version from which to read.'),
  query('resourceVersionMatch', 'string', 'How resourceVersion is applied.'),
  query('sendInitialEvents', 'boolean', 'Whether a watch begins with the present objects.'),
  query('timeoutSeconds', 'integer', 'How long a call lasts.'),
  query('watch', 'boolean', 'Whether changes are sent as they happen.'),
];
const deleteParameters = [
  write[0],
  query('gracePeriodSeconds', 'integer', 'Seconds before the object is deleted.'),
  query('orphanDependents', 'boolean', 'Superseded by propagationPolicy.'),
  query('propagationPolicy', 'string', 'What happens to dependents: Orphan, Background or Foreground.'),
];

/** Returns the paths of a kind with their operations: collection, object and subresources. */
export function pathsOf(group: string, version: string, kind: OpenApiKind): Record<string, PathItem> {
  const base = `/${groupVersionPath({ group, version })}`;
  const endpoint: Endpoint = {
    gvk: { group, version, kind: kind.kind },
    strategicMerge: kind.strategicMerge === true,
    namespaced: kind.namespaced,
  };
  const collection = kind.namespaced
    ? `${base}/namespaces/{namespace}/${kind.plural}`
    : `${base}/${kind.plural}`;
  const paths: Record<string, PathItem> = {
    [collection]: collectionItem(endpoint),
    [`${collection}/{name}`]: objectItem(endpoint, true),
  };
  if (kind.namespaced) {
    paths[`${base}/${kind.plural}`] = { get: listOperation(endpoint), parameters: [pretty] };
  }
  for (const subresource of kind.subresources ?? []) {
    const gvk = subresource.kind ?? endpoint.gvk;
    paths[`${collection}/{name}/${subresource.name}`] = objectItem({ ...endpoint, gvk }, false);
  }
  return paths;
}

function collectionItem(endpoint: Endpoint): PathItem {
  return {
    get: listOperation(endpoint),
    post: writeOperation(endpoint, 'post', write),
    delete: {
      ...operation(endpoint, 'deletecollection', [...list, ...deleteParameters]),
      ...body(deleteOptionsName),
      ...ok(statusName),
    },
    parameters: parametersOf(endpoint, false),
  };
}

function objectItem(endpoint: Endpoint, isResource: boolean): PathItem {
  return {
    get: { ...operation(endpoint, 'get', []), ...ok(nameOf(endpoint)) },
    put: writeOperation(endpoint, 'put', write),
    patch: {
      ...operation(endpoint, 'patch', [...write, force]),
      ...body(patch, patchTypes(endpoint.strategicMerge)),
      ...ok(nameOf(endpoint)),
    },
    ...(isResource
      ? {
          delete: {
            ...operation(endpoint, 'delete', deleteParameters),
            ...body(deleteOptionsName),
            ...ok(statusName),
          },
        }
      : {}),
    parameters: parametersOf(endpoint, true),
  };
}

function listOperation(endpoint: Endpoint): object {
  return { ...operation(endpoint, 'list', list), ...ok(`${nameOf(endpoint)}List`) };
}

function writeOperation(endpoint: Endpoint, action: string, parameters: readonly object[]): object {
  return { ...operation(endpoint, action, parameters), ...body(nameOf(endpoint)), ...ok(nameOf(endpoint)) };
}

function operation({ gvk }: Endpoint, action: string, parameters: readonly (object | undefined)[]): object {
  return {
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': gvk,
    parameters: parameters.filter((parameter) => parameter !== undefined),
  };
}

function nameOf({ gvk }: Endpoint): string {
  return definitionName(gvk.group, gvk.version, gvk.kind);
}

function parametersOf({ namespaced, gvk }: Endpoint, hasName: boolean): object[] {
  return [
    ...(hasName ? [path('name', `The name of the ${gvk.kind}.`)] : []),
    ...(namespaced ? [path('namespace', 'The namespace of the object.')] : []),
    pretty,
  ];
}

function patchTypes(strategicMerge: boolean): string[] {
  return [
    'application/apply-patch+yaml',
    'application/json-patch+json',
    'application/merge-patch+json',
    ...(strategicMerge ? ['application/strategic-merge-patch+json'] : []),
  ];
}

function body(
  definition: string,
  types: readonly string[] = ['application/json', 'application/yaml'],
): object {
  return { requestBody: { required: true, content: contentOf(definition, types) } };
}

function ok(definition: string): object {
  return { responses: { 200: { description: 'OK', content: contentOf(definition, ['application/json']) } } };
}

function contentOf(definition: string, types: readonly string[]): object {
  return Object.fromEntries(types.map((type) => [type, { schema: reference(definition) }]));
}
