import type { Cluster } from '../api/cluster.js';
import { ApiError, expired, tooLargeRevision, wrongShape } from '../api/api-error.js';
import { apiVersionOf, fromStorage, type Resource } from '../registry/resource.js';
import type { JsonObject } from '../schema/types.js';
import { CompactedError } from '../store/errors.js';
import type { Page } from '../store/store.js';
import { tableOf } from '../table/table.js';
import type { Answer } from './answer.js';
import {
  encodeContinue,
  listOptions,
  selectionOf,
  type ListOptions,
  type Selection,
} from './list-options.js';
import type { Format } from './negotiate.js';
import { itemJson, partial } from './render.js';

const waitForRevisionMs = 3000;
const inconsistent =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

/** Lists a collection in the requested form. Throws ApiError. */
export async function list(
  cluster: Cluster,
  resource: Resource,
  namespace: string,
  query: URLSearchParams,
  as: Format['as'],
  signal: AbortSignal,
): Promise<Answer> {
  if (as === 'partial') {
    const what = `${apiVersionOf(resource)} ${resource.listKind}`;
    throw wrongShape(`you requested PartialObjectMetadata, but the requested object is a list (${what})`);
  }
  const options = listOptions(query);
  const selection = selectionOf(resource, query);
  await reachRevision(cluster, options.resourceVersion, signal);
  const page = read(cluster, resource, namespace, options, selection);
  const metadata = listMetadata(page, options.limit, selection);
  return { code: 200, body: render(cluster, resource, page, metadata, query, as) };
}

/** Waits until the store has a revision. Throws a 504 after the timeout. */
export async function reachRevision(
  cluster: Cluster,
  revision: number | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (revision === undefined || revision <= cluster.store.revision) return;
  /* A source that is an `AbortSignal.timeout` would be collected in Node.js 20, with its timer. */
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), waitForRevisionMs);
  const reached = await cluster.store.reached(revision, AbortSignal.any([signal, late.signal]));
  clearTimeout(timer);
  if (!reached) throw tooLargeRevision(revision, cluster.store.revision);
}

function read(
  cluster: Cluster,
  resource: Resource,
  namespace: string,
  options: ListOptions,
  selection: Selection,
): Page {
  const { continued, exact, limit } = options;
  const revision = continued?.revision ?? (exact ? options.resourceVersion : undefined);
  try {
    return cluster.store.list(resource.collection, {
      namespace,
      limit,
      after: continued?.after,
      revision,
      ...(selection.selective ? { match: selection.matches } : {}),
    });
  } catch (error) {
    if (!(error instanceof CompactedError)) throw error;
    if (continued === undefined) {
      throw expired(`The resourceVersion for the provided list is too old.`);
    }
    throw new InconsistentList(encodeContinue(continued.after, -1));
  }
}

/** Returns a 410 with a token that continues with the current state. */
class InconsistentList extends ApiError {
  readonly #token: string;

  constructor(token: string) {
    super(410, 'Expired', inconsistent);
    this.#token = token;
  }

  override toStatus(): JsonObject {
    return { ...super.toStatus(), metadata: { continue: this.#token } };
  }
}

function listMetadata(page: Page, limit: number | undefined, selection: Selection): JsonObject {
  const resourceVersion = String(page.revision);
  if (limit === undefined || page.next === undefined) return { resourceVersion };
  return {
    resourceVersion,
    continue: encodeContinue(page.next, page.revision),
    ...(selection.selective ? {} : { remainingItemCount: page.remaining }),
  };
}

function render(
  cluster: Cluster,
  resource: Resource,
  page: Page,
  metadata: JsonObject,
  query: URLSearchParams,
  as: Format['as'],
): string | JsonObject {
  if (as === 'object') {
    const head = { kind: resource.listKind, apiVersion: apiVersionOf(resource), metadata };
    const items = page.entries.map((entry) => itemJson(resource, entry)).join(',');
    return `${JSON.stringify(head).slice(0, -1)},"items":[${items}]}\n`;
  }
  const objects = page.entries.map((entry) => fromStorage(resource, entry.object));
  if (as === 'table') {
    return tableOf(resource, objects, metadata, {
      now: cluster.now(),
      includeObject: query.get('includeObject'),
    });
  }
  return {
    kind: 'PartialObjectMetadataList',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    items: objects.map(partial),
  };
}
