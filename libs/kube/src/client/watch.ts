import { typeMeta, type Kind, type KubeObject } from '@interlock/api';
import { ApiError, errorOfNetwork, errorOfStatus, malformed, type RequestLine } from './api-error.js';
import type { Caller } from './caller.js';
import { LineDecoder } from './line-decoder.js';
import { metadataAccept } from './media-types.js';
import { collectionPath, withQuery } from './paths.js';
import type { WatchEvent, WatchOptions } from './types.js';

const openTimeoutMs = 30_000;
/** etcd refuses objects of more than a few MiB; this limits what a broken stream can occupy in memory. */
const maxEventBytes = 32 * 1024 * 1024;

/** Implements `Client.watch`: yields the events of one watch request. */
export async function* watchEvents<T extends KubeObject>(
  caller: Caller,
  kind: Kind<T>,
  options: WatchOptions,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  const stream = await caller.open(
    {
      method: 'GET',
      path: withQuery(collectionPath(kind, options.namespace), {
        watch: true,
        allowWatchBookmarks: true,
        resourceVersion: options.resourceVersion,
        labelSelector: options.labelSelector,
        fieldSelector: options.fieldSelector,
        timeoutSeconds: options.timeoutSeconds,
      }),
      ...(options.metadataOnly === true ? { accept: metadataAccept('PartialObjectMetadata') } : {}),
      idempotent: true,
    },
    options,
    openTimeoutMs,
  );
  const decoder = new LineDecoder(maxEventBytes);
  try {
    /* A line that the end of the stream cuts off is dropped: a resumed watch receives its event again. */
    for await (const chunk of stream.body) {
      for (const text of decoder.push(chunk)) yield decodeEvent(stream.line, kind, text);
    }
  } catch (error) {
    options.signal?.throwIfAborted();
    if (error instanceof ApiError) throw error;
    throw error instanceof RangeError
      ? malformed(stream.line, error.message)
      : errorOfNetwork(stream.line, error);
  } finally {
    stream.end();
  }
}

interface RawEvent {
  type?: unknown;
  object?: Partial<KubeObject> & { code?: number };
}

/**
 * Parses a line.
 *
 * @throws `ApiError` for an ERROR event, and for a line that is not a watch event
 */
function decodeEvent<T extends KubeObject>(line: RequestLine, kind: Kind<T>, text: string): WatchEvent<T> {
  const { type, object } = parseEvent(line, text);
  if (type === 'ERROR') throw errorOfStatus(line, object?.code ?? 500, object, undefined);
  const resourceVersion = object?.metadata?.resourceVersion;
  if (object === undefined || resourceVersion === undefined) {
    throw malformed(line, 'a watch event has no resourceVersion');
  }
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return { type, object: asKind(kind, object) };
    case 'BOOKMARK':
      return { type, resourceVersion };
    default:
      throw malformed(line, `a watch event has the unknown type ${JSON.stringify(type)}`);
  }
}

function parseEvent(line: RequestLine, text: string): RawEvent {
  try {
    const event: unknown = JSON.parse(text);
    if (typeof event === 'object' && event !== null) return event;
  } catch {
    throw malformed(line, 'a watch event is not JSON');
  }
  throw malformed(line, 'a watch event is not an object');
}

/**
 * Adds the kind to a decoded object: items of lists of built-in kinds have none, and metadata-only objects are called
 * PartialObjectMetadata.
 */
export function asKind<T extends KubeObject>(kind: Kind<T>, object: object): T {
  return Object.assign(object, typeMeta(kind)) as T;
}
