import type { Kind, KubeObject } from '@interlock/api';
import { isExpired, isTooLarge, malformed } from './api-error.js';
import type { Caller } from './caller.js';
import { metadataAccept } from './media-types.js';
import { collectionPath, withQuery } from './paths.js';
import type { ListOptions, ListResult } from './types.js';
import { asKind } from './watch.js';

const defaultPageSize = 500;
/* Its text and its objects are in memory at the same time. Each object of a tenant may have 1.5 MiB, the limit of etcd. */
const maxPageBytes = 32 * 1024 * 1024;
const pageTimeoutMs = 60_000;

interface RawList {
  metadata?: { resourceVersion?: string; continue?: string };
  items?: object[] | null;
}

/** Implements `Client.listPages`. The time limit applies to each page. */
export async function* listPages<T extends KubeObject>(
  caller: Caller,
  kind: Kind<T>,
  options: ListOptions,
): AsyncGenerator<ListResult<T>, void, undefined> {
  const path = collectionPath(kind, options.namespace);
  let limit = options.limit ?? defaultPageSize;
  let token: string | undefined;
  do {
    const page = await readPage(caller, path, { ...options, limit }, token);
    const { answer } = page;
    const resourceVersion = answer?.metadata?.resourceVersion;
    if (answer === undefined || resourceVersion === undefined) {
      throw malformed({ method: 'GET', path }, 'the answer is not a list');
    }
    yield { items: (answer.items ?? []).map((item) => asKind(kind, item)), resourceVersion };
    token = answer.metadata?.continue || undefined;
    limit = Math.min(page.limit * 2, options.limit || defaultPageSize);
  } while (token !== undefined);
}

/** Reads a page. If it is too large, it is requested again with fewer objects. */
async function readPage(
  caller: Caller,
  path: string,
  options: ListOptions & { limit: number },
  token: string | undefined,
): Promise<{ answer: RawList | undefined; limit: number }> {
  const { labelSelector, fieldSelector, limit } = options;
  const query = {
    ...{ labelSelector, fieldSelector, limit, continue: token },
    /* The token contains the version of the list; naming the version again is an error. */
    resourceVersion: token === undefined ? options.resourceVersion : undefined,
  };
  const call = {
    method: 'GET',
    path: withQuery(path, query),
    ...(options.metadataOnly === true ? { accept: metadataAccept('PartialObjectMetadataList') } : {}),
    idempotent: true,
    /* All objects are requested at once only if the pages of their list expire. */
    ...(limit > 1 && { maxBytes: maxPageBytes }),
  } as const;
  try {
    return { answer: (await caller.call(call, options, pageTimeoutMs)) as RawList | undefined, limit };
  } catch (error) {
    if (!isTooLarge(error) || limit === 1) throw error;
    const fewer = limit === 0 ? defaultPageSize : Math.ceil(limit / 4);
    return readPage(caller, path, { ...options, limit: fewer }, token);
  }
}

/** Implements `Client.list`. */
export async function listAll<T extends KubeObject>(
  caller: Caller,
  kind: Kind<T>,
  options: ListOptions,
): Promise<ListResult<T>> {
  try {
    return await collect(listPages(caller, kind, options));
  } catch (error) {
    if (!isExpired(error)) throw error;
    /* The pages of a very large list may expire each time; a list with one page does not. */
    return collect(listPages(caller, kind, { ...options, limit: 0 }));
  }
}

async function collect<T>(pages: AsyncIterable<ListResult<T>>): Promise<ListResult<T>> {
  const result: ListResult<T> = { items: [], resourceVersion: '' };
  for await (const page of pages) {
    /* All pages should show one version; if a server differs, a watch from the oldest one misses nothing. */
    if (result.resourceVersion === '') result.resourceVersion = page.resourceVersion;
    for (const item of page.items) result.items.push(item);
  }
  return result;
}
