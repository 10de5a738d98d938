import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError, expired } from '../api/api-error.js';
import type { Cluster } from '../api/cluster.js';
import type { KubeObject, ObjectMeta } from '../object.js';
import { apiVersionOf, fromStorage, type Resource } from '../registry/resource.js';
import type { JsonObject } from '../schema/types.js';
import { atRevision, Entry, type StoreEvent } from '../store/entry.js';
import { CompactedError } from '../store/errors.js';
import { selectionOf, watchOptions, type Selection, type WatchOptions } from './list-options.js';
import { reachRevision } from './list.js';
import type { Format } from './negotiate.js';
import { entryJson, renderObject } from './render.js';

type EventType = StoreEvent['type'];

const bookmarkIntervalMs = 60_000;
/** Time between the last bookmark and the end of the watch, so that the client can resume from there. */
const bookmarkBeforeEndMs = 2000;
const defaultTimeoutS = 1800;
/** Buffer size above which a slow client is disconnected. */
const maxUnreadBytes = 64 * 1024 * 1024;

/** Event lines by type and version, shared by all watches of a collection. */
const lines = new WeakMap<Entry, Map<string, string>>();

function line(resource: Resource, type: EventType, entry: Entry): string {
  const known = lines.get(entry) ?? new Map<string, string>();
  lines.set(entry, known);
  const key = `${type} ${apiVersionOf(resource)}`;
  let text = known.get(key);
  if (text === undefined) {
    text = `{"type":"${type}","object":${entryJson(resource, entry)}}\n`;
    known.set(key, text);
  }
  return text;
}

interface WatchRequest {
  cluster: Cluster;
  resource: Resource;
  namespace: string;
  query: URLSearchParams;
  as: Exclude<Format['as'], 'partialList'>;
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
}

/**
 * Prepares a watch; the result streams events until the timeout or until either side ends the connection. Throws
 * ApiError for options that are not valid. A resourceVersion that has expired, or that the server does not reach in
 * time for the initial events, is reported as an ERROR event in the stream.
 */
export function watch(
  request: WatchRequest,
): (incoming: IncomingMessage, response: ServerResponse) => Promise<void> {
  const options = watchOptions(request.query);
  const selection = selectionOf(request.resource, request.query);
  return (_incoming, response) => new WatchStream(request, options, selection, response).run();
}

class WatchStream {
  #first = true;
  readonly #timers: NodeJS.Timeout[] = [];

  readonly #request: WatchRequest;
  readonly #options: WatchOptions;
  readonly #selection: Selection;
  readonly #response: ServerResponse;

  constructor(request: WatchRequest, options: WatchOptions, selection: Selection, response: ServerResponse) {
    this.#request = request;
    this.#options = options;
    this.#selection = selection;
    this.#response = response;
  }

  async run(): Promise<void> {
    const response = this.#response;
    response.writeHead(200, { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache, private' });
    response.flushHeaders();
    const ended = new Promise<void>((resolve) => {
      response.once('close', resolve);
    });
    const stop = await this.#start();
    const { registry } = this.#request.cluster;
    const { group, version, plural } = this.#request.resource;
    const unsubscribe = registry.onChange(() => {
      if (registry.get(group, version, plural) === undefined) response.end();
    });
    await ended;
    unsubscribe();
    stop();
    for (const timer of this.#timers) clearTimeout(timer);
  }

  async #start(): Promise<() => void> {
    const { cluster, resource } = this.#request;
    try {
      const from = await this.#begin();
      const stop = cluster.store.watch(resource.collection, from, (event) => {
        this.#take(event);
      });
      this.#schedule();
      return stop;
    } catch (error) {
      const problem = error instanceof CompactedError ? expired(error.message) : error;
      if (!(problem instanceof ApiError)) throw error;
      this.#write(`${JSON.stringify({ type: 'ERROR', object: problem.toStatus() })}\n`);
      this.#response.end();
      return () => undefined;
    }
  }

  /** Sends the initial events. Returns the revision after which changes follow. Throws a 504. */
  async #begin(): Promise<number> {
    const { cluster, signal } = this.#request;
    const { resourceVersion, sendInitialEvents, bookmarks } = this.#options;
    if (!sendInitialEvents) return resourceVersion ?? cluster.store.revision;
    await reachRevision(cluster, resourceVersion, signal);
    const from = this.#sendState();
    if (bookmarks) this.#bookmark(from, { 'k8s.io/initial-events-end': 'true' });
    return from;
  }

  /** Sends the current state as ADDED events. Returns its revision. */
  #sendState(): number {
    const { cluster, resource, namespace } = this.#request;
    for (const entry of cluster.store.entries(resource.collection, namespace)) {
      if (this.#selection.matches(entry)) this.#send('ADDED', entry);
    }
    return cluster.store.revision;
  }

  #take({ type, entry, previous }: StoreEvent): void {
    const { namespace } = this.#request;
    if (namespace !== '' && entry.namespace !== namespace) return;
    if (!this.#selection.selective) {
      this.#send(type, entry);
      return;
    }
    const is = type !== 'DELETED' && this.#selection.matches(entry);
    const was = previous !== undefined && this.#selection.matches(previous);
    if (is) this.#send(was ? 'MODIFIED' : 'ADDED', entry);
    else if (was) this.#send('DELETED', type === 'DELETED' ? entry : leaving(previous, entry.revision));
  }

  #send(type: EventType, entry: Entry): void {
    const { resource, as } = this.#request;
    if (as === 'object') this.#write(line(resource, type, entry));
    else
      this.#write(`${JSON.stringify({ type, object: this.#shape(fromStorage(resource, entry.object)) })}\n`);
    this.#first = false;
  }

  #shape(object: KubeObject): JsonObject {
    const { resource, as, cluster, query } = this.#request;
    return renderObject(resource, object, as, {
      now: cluster.now(),
      includeObject: query.get('includeObject'),
      headers: this.#first,
    });
  }

  #bookmark(revision: number, annotations?: Record<string, string>): void {
    const { resource } = this.#request;
    /* Only bookmarks have no name. */
    const metadata = {
      resourceVersion: String(revision),
      ...(annotations === undefined ? {} : { annotations }),
    } as ObjectMeta;
    const object = this.#shape({ kind: resource.kind, apiVersion: apiVersionOf(resource), metadata });
    this.#first = false;
    this.#write(`${JSON.stringify({ type: 'BOOKMARK', object })}\n`);
  }

  #write(text: string): void {
    if (this.#response.destroyed || this.#response.writableEnded) return;
    this.#response.write(text);
    if (this.#response.writableLength > maxUnreadBytes) this.#response.destroy();
  }

  #schedule(): void {
    const timeoutMs = (this.#options.timeoutSeconds ?? defaultTimeoutS) * 1000;
    this.#timers.push(
      setTimeout(() => {
        this.#response.end();
      }, timeoutMs).unref(),
    );
    if (!this.#options.bookmarks) return;
    const { store } = this.#request.cluster;
    this.#timers.push(
      setInterval(() => {
        this.#bookmark(store.revision);
      }, bookmarkIntervalMs).unref(),
    );
    if (timeoutMs > bookmarkBeforeEndMs) {
      this.#timers.push(
        setTimeout(() => {
          this.#bookmark(store.revision);
        }, timeoutMs - bookmarkBeforeEndMs).unref(),
      );
    }
  }
}

/** Returns the previous state of an object that no longer matches, with the revision of the change. */
function leaving(previous: Entry, revision: number): Entry {
  return new Entry(previous.collection, previous.key, revision, atRevision(previous.object, revision));
}
