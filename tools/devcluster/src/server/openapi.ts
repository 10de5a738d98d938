import type { Cluster } from '../api/cluster.js';
import type { ResourceRegistry } from '../registry/types.js';
import type { Resource } from '../registry/resource.js';
import { openApiDocument, openApiIndex } from '../schema/openapi/document.js';
import { groupVersionPath, type OpenApiGroupVersion, type OpenApiKind } from '../schema/openapi/model.js';
import type { Answer } from './answer.js';

const root = '/openapi/v3';

/** The rendered documents by path, which are discarded when the served resources change. */
const rendered = new WeakMap<ResourceRegistry, Map<string, string>>();

function documents(registry: ResourceRegistry): Map<string, string> {
  let known = rendered.get(registry);
  if (known === undefined) {
    known = new Map();
    rendered.set(registry, known);
    const fresh = known;
    registry.onChange(() => {
      fresh.clear();
    });
  }
  return known;
}

/** Answers `/openapi/v3` and the documents below it; undefined for anything else. */
export function openApi({ registry }: Cluster, path: string): Answer | undefined {
  if (!path.startsWith(root)) return undefined;
  const known = documents(registry);
  const text = known.get(path) ?? render(registry, path.slice(root.length).replace(/^\//, ''));
  if (text === undefined) return undefined;
  known.set(path, text);
  return path === root
    ? { code: 200, body: text, contentType: 'text/plain; charset=utf-8' }
    : { code: 200, body: text };
}

function render(registry: ResourceRegistry, path: string): string | undefined {
  const versions = groupVersions(registry);
  if (path === '') return JSON.stringify(openApiIndex(versions));
  const wanted = versions.find((one) => groupVersionPath(one) === path);
  return wanted && JSON.stringify(openApiDocument(wanted));
}

function groupVersions(registry: ResourceRegistry): OpenApiGroupVersion[] {
  const found = new Map<string, { group: string; version: string; kinds: OpenApiKind[] }>();
  for (const resource of registry.all()) {
    const { group, version } = resource;
    const key = `${group}/${version}`;
    const entry = found.get(key) ?? { group, version, kinds: [] };
    entry.kinds.push(kindOf(resource));
    found.set(key, entry);
  }
  return [...found.values()];
}

function kindOf(resource: Resource): OpenApiKind {
  const { kind, plural, namespaced, schema, custom, strategy, scale } = resource;
  const own = Object.entries(resource.subresources).map(([name, { kind: other, group, version }]) => ({
    name,
    ...(group === undefined || version === undefined ? {} : { kind: { group, version, kind: other } }),
  }));
  return {
    kind,
    plural,
    namespaced,
    schema,
    strategicMerge: !custom,
    subresources: [
      ...own,
      ...(strategy.status ? [{ name: 'status' }] : []),
      ...(scale === undefined
        ? []
        : [{ name: 'scale', kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' } }]),
    ],
  };
}
