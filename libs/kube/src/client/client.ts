import { typeMeta, type Kind, type KubeObject, type ObjectKey } from '@interlock/api';
import { systemClock, type Clock } from '@interlock/base';
import { Caller, type Call } from './caller.js';
import type { ClockSkew } from './clock-skew.js';
import { loadCredentials, type KubeConfigSource } from './credentials.js';
import { discoverKind } from './discovery.js';
import type { Impersonation } from './impersonation.js';
import { listAll, listPages } from './list.js';
import { patchMediaTypes } from './media-types.js';
import { noClientMetrics, type ClientMetrics } from './metrics.js';
import { collectionPath, objectPath, requireNamespace, withQuery } from './paths.js';
import { createTransport, type Transport } from './transport.js';
import type {
  ApplyConfiguration,
  ApplyOptions,
  CallOptions,
  Client,
  DeleteOptions,
  ListOptions,
  Patch,
  RawRequest,
  WatchOptions,
  WriteOptions,
} from './types.js';
import { watchEvents } from './watch.js';

export interface ClientOptions {
  /** A file, or its decoded content. Default: `KUBECONFIG`, `~/.kube/config`, in-cluster. */
  kubeConfig?: string | object | undefined;
  /** Context of the kubeconfig; default: its current context. */
  context?: string | undefined;
  /** Whom to impersonate; each field takes precedence over that of the kubeconfig's user. */
  impersonate?: Impersonation | undefined;
  userAgent: string;
  /** Field manager of writes that do not name one. */
  defaultFieldManager: string;
  clock?: Clock | undefined;
  /** Yields numbers in [0, 1), which add jitter to the waits between repeats. */
  random?: () => number;
  metrics?: ClientMetrics;
  /** Receives the time of each answer. */
  clockSkew?: ClockSkew;
  /** Headers for each request, such as `traceparent`. */
  requestHeaders?: () => Record<string, string>;
}

const getTimeoutMs = 10_000;
const writeTimeoutMs = 30_000;

/**
 * Returns a client for the cluster of the kubeconfig's context. It connects at the first call.
 *
 * @throws TypedError `Invalid` when the kubeconfig cannot be read or does not name a cluster
 */
export function createClient(options: ClientOptions): Client {
  const clock = options.clock ?? systemClock;
  const source: KubeConfigSource = options.kubeConfig;
  const credentials = loadCredentials(source, clock, options.context, options.impersonate);
  return new HttpClient(createTransport(credentials), clock, options);
}

class HttpClient implements Client {
  readonly #transport: Transport;
  readonly #caller: Caller;
  readonly #fieldManager: string;

  constructor(transport: Transport, clock: Clock, options: ClientOptions) {
    this.#transport = transport;
    this.#fieldManager = options.defaultFieldManager;
    this.#caller = new Caller({
      transport,
      clock,
      random: options.random ?? Math.random,
      metrics: options.metrics ?? noClientMetrics,
      clockSkew: options.clockSkew,
      userAgent: options.userAgent,
      requestHeaders: () => options.requestHeaders?.() ?? {},
    });
  }

  async get<T extends KubeObject>(kind: Kind<T>, key: ObjectKey, options: CallOptions = {}): Promise<T> {
    const call: Call = { method: 'GET', path: objectPath(kind, key), idempotent: true };
    return (await this.#caller.call(call, options, getTimeoutMs)) as T;
  }

  list<T extends KubeObject>(kind: Kind<T>, options: ListOptions = {}) {
    return listAll(this.#caller, kind, options);
  }

  listPages<T extends KubeObject>(kind: Kind<T>, options: ListOptions = {}) {
    return listPages(this.#caller, kind, options);
  }

  watch<T extends KubeObject>(kind: Kind<T>, options: WatchOptions) {
    return watchEvents(this.#caller, kind, options);
  }

  async create<T extends KubeObject>(kind: Kind<T>, object: unknown, options: WriteOptions = {}): Promise<T> {
    const body = typed(kind, object, options);
    const namespace = body.metadata?.namespace;
    requireNamespace(kind, namespace);
    const { subresource } = options;
    const path =
      subresource === undefined
        ? collectionPath(kind, namespace)
        : objectPath(kind, { namespace, name: body.metadata?.name ?? '' }, subresource);
    return (await this.#write({ method: 'POST', path, body, idempotent: false }, options)) as T;
  }

  async update<T extends KubeObject>(kind: Kind<T>, object: T, options: WriteOptions = {}): Promise<T> {
    const path = objectPath(kind, object.metadata, options.subresource);
    return (await this.#write(
      { method: 'PUT', path, body: typed(kind, object, options), idempotent: true },
      options,
    )) as T;
  }

  async patch<T extends KubeObject>(
    kind: Kind<T>,
    key: ObjectKey,
    patch: Patch,
    options: WriteOptions = {},
  ): Promise<T> {
    const call: Call = {
      method: 'PATCH',
      path: objectPath(kind, key, options.subresource),
      body: patch.patch,
      contentType: patchMediaTypes[patch.type],
      /* A JSON patch can append or move, so it must not be repeated. */
      idempotent: patch.type !== 'json',
    };
    return (await this.#write(call, options)) as T;
  }

  async apply<T extends KubeObject>(
    kind: Kind<T>,
    object: ApplyConfiguration,
    options: ApplyOptions = {},
  ): Promise<T> {
    const call: Call = {
      method: 'PATCH',
      path: withQuery(objectPath(kind, object.metadata, options.subresource), {
        force: options.force ?? true,
      }),
      body: typed(kind, object, options),
      contentType: patchMediaTypes.apply,
      idempotent: true,
    };
    return (await this.#write(call, options)) as T;
  }

  async delete(kind: Kind, key: ObjectKey, options: DeleteOptions = {}): Promise<void> {
    const { uid, resourceVersion, propagationPolicy, gracePeriodSeconds, dryRun } = options;
    const preconditions = { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) };
    const body = {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      ...(Object.keys(preconditions).length > 0 && { preconditions }),
      ...(propagationPolicy && { propagationPolicy }),
      ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
      ...(dryRun === true && { dryRun: ['All'] }),
    };
    const path = objectPath(kind, key, options.subresource);
    /* By its name alone, a repeat could delete an object that was created after the first attempt. */
    const idempotent = Object.keys(preconditions).length > 0;
    await this.#caller.call({ method: 'DELETE', path, body, idempotent }, options, writeTimeoutMs);
  }

  resolveKind(apiVersion: string, kind: string, options?: CallOptions): Promise<Kind | undefined> {
    return discoverKind(this, { apiVersion, kind }, options);
  }

  async raw<R>(request: RawRequest, options: CallOptions = {}): Promise<R> {
    const method = request.method.toUpperCase() as Call['method'];
    const call: Call = {
      method,
      path: request.path,
      idempotent: request.isIdempotent ?? ['GET', 'HEAD', 'PUT', 'DELETE'].includes(method),
      body: request.body,
      contentType: request.contentType,
      as: request.as,
      accept: request.as === undefined ? undefined : 'text/plain, */*',
    };
    return (await this.#caller.call(call, options, writeTimeoutMs)) as R;
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  #write(call: Call, options: WriteOptions): Promise<unknown> {
    const path = withQuery(call.path, {
      fieldManager: options.fieldManager ?? this.#fieldManager,
      dryRun: options.dryRun === true ? 'All' : undefined,
    });
    return this.#caller.call({ ...call, path }, options, writeTimeoutMs);
  }
}

interface TypedBody {
  apiVersion: string;
  kind: string;
  metadata?: { name?: string; namespace?: string };
}

/** Adds the type of the kind; the scale subresource has a separate kind. */
function typed(kind: Kind, object: unknown, options: WriteOptions): TypedBody {
  const type =
    options.subresource === 'scale' ? { apiVersion: 'autoscaling/v1', kind: 'Scale' } : typeMeta(kind);
  return { ...(object as object), ...type };
}
