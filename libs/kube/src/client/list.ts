import type { Kind, KubeObject } from '@interlock/api';
import { isExpired, malformed } from './api-error.js';
import type { Caller } from './caller.js';
import { metadataAccept } from './media-types.js';
import { collectionPath, withQuery } from './paths.js';
import type { ListOptions, ListResult } from './types.js';
import { asKind } from './watch.js';

const defaultPageSize = 500;
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
  let token: string | undefined;
  do {
    const query = {
      labelSelector: options.labelSelector,
      fieldSelector: options.fieldSelector,
      limit: options.limit ?? defaultPageSize,
      continue: token,
      /* The token contains the version of the list; naming the version again is an error. */
      resourceVersion: token === undefined ? options.resourceVersion : undefined,
    };
    const answer = (await caller.call(
      {
        method: 'GET',
        path: withQuery(path, query),
        ...(options.metadataOnly === true ? { accept: metadataAccept('PartialObjectMetadataList') } : {}),
        idempotent: true,
      },
      options,
      pageTimeoutMs,
    )) as RawList | undefined;
    const resourceVersion = answer?.metadata?.resourceVersion;
    if (answer === undefined || resourceVersion === undefined) {
      throw malformed({ method: 'GET', path }, 'the answer is not a list');
    }
    yield { items: (answer.items ?? []).map((item) => asKind(kind, item)), resourceVersion };
    token = answer.metadata?.continue || undefined;
  } while (token !== undefined);
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
