import { isTyped, TypedError } from '@interlock/api';
import { systemClock, type Clock } from '@interlock/base';
import { tunnelClients } from '@interlock/base/proxy-tunnel';
import { LRUCache } from 'lru-cache';
import { EnvHttpProxyAgent, type Dispatcher } from 'undici';
import type { AccountHealth } from './account-health.js';
import { boundContext, boundRepository } from './bound.js';
import { Governor } from './governor/governor.js';
import { HostPolicy, type HostRules } from './hosts.js';
import { maxResponseBytes } from './http/fetch.js';
import { noScmMetrics, type ScmMetrics } from './metrics.js';
import { remoteOf } from './remote.js';
import { PluginSelection } from './selection.js';
import type { WebhookReceiver } from './webhook.js';
import type { RepositoryRef, Scm, ScmContext, ScmPlugin, ScmRepository, ScmUse } from './scm.js';

export interface ScmRegistryOptions {
  /** Each is selected by the field of its name. */
  plugins: readonly ScmPlugin[];
  /** Each is selected by `plugin.name`; see `loadScmPlugins`. */
  external?: readonly ScmPlugin[];
  /** The purposes for which the process uses the accounts; default: all. */
  uses?: readonly ScmUse[];
  clock?: Clock;
  random?: () => number;
  metrics?: ScmMetrics;
  /** Milliseconds that one HTTP exchange may take; default: 30,000. */
  timeoutMs?: number;
  /** Which servers may be dialled. If absent, every server that a provider or a repository names, with or without TLS. */
  hosts?: HostRules;
  /** Records the results of calls of repositories. */
  health?: AccountHealth;
  /** Creates the dispatcher for a host; default: keep-alive, through the proxy of the environment. */
  dispatcher?: ((origin: string) => Dispatcher) | undefined;
}

/** The fields of an ScmProvider or ClusterScmProvider, or of a GitRepository, that matter here. */
export interface ProviderResource {
  kind: string;
  metadata: { name: string; namespace?: string | undefined };
  spec: object;
  /** See {@link ScmConnection.secretKeys}. */
  secretKeys?: Readonly<Record<string, string>> | undefined;
}
export interface RepositoryResource {
  metadata: { name: string; namespace?: string | undefined };
  spec: object;
}

export interface ScmRegistry {
  /**
   * Returns the plugin whose section is present in the spec of a provider or of a repository.
   *
   * @throws TypedError `Invalid` naming the fields when there is none, or more than one.
   */
  forProvider(spec: object): ScmPlugin;
  /** Returns the section of a plugin in the spec of a repository; undefined if it is for another plugin. */
  sectionFor(plugin: ScmPlugin, spec: object): unknown;
  /**
   * Returns an identifier of the remote that the specs of a provider and of a repository name, equal for all accounts
   * with access to it; undefined when they do not name one.
   */
  remoteOf(provider: object, repository: object): string | undefined;
  /** The receivers of webhooks of all plugins. */
  readonly webhooks: readonly WebhookReceiver[];
  /** Connects an account; see {@link ScmPlugin.connect}. `secret` is the decoded data of its Secret. */
  connect(provider: ProviderResource, secret: Readonly<Record<string, string>>): Scm;
  /** Connects an account and returns the repository. @throws TypedError `Invalid` when they are of different kinds. */
  repository(
    provider: ProviderResource,
    secret: Readonly<Record<string, string>>,
    repository: RepositoryResource,
  ): ScmRepository;
  /** Closes all connections when their calls are done. */
  close(): Promise<void>;
}

const maxHosts = 100;
const maxGovernors = 1000;
const maxConnectionsPerHost = 16;
const connectTimeoutMs = 10_000;
const defaultTimeoutMs = 30_000;

/** Returns the SCMs of this process. There is one for each process: it holds the connections and the rate limits. */
export function createScmRegistry(options: ScmRegistryOptions): ScmRegistry {
  const selection = new PluginSelection(options.plugins, options.external ?? []);
  const timeoutMs = options.timeoutMs ?? defaultTimeoutMs;
  const dispatchers = new Dispatchers(options.dispatcher ?? (() => keepAliveAgent(timeoutMs)));
  const context = createContext({ ...options, timeoutMs }, dispatchers);
  const policy = options.hosts && new HostPolicy(options.hosts, (provider) => serverOf(selection, provider));

  const connect: ScmRegistry['connect'] = (provider, secret) => {
    const { plugin, section } = selection.of(provider.spec);
    const { kind, metadata, secretKeys } = provider;
    const { name, namespace = '' } = metadata;
    const origins = plugin.origins(section);
    const [server] = origins;
    if (server !== undefined) policy?.check(server, `${kind} ${name}`);
    const account = { kind, namespace, name };
    const connection = { provider: account, section, secret, secretKeys };
    const scm = plugin.connect(connection, boundContext(context, origins));
    return {
      login: (callOptions) => scm.login(callOptions),
      repository(ref: RepositoryRef) {
        const repository = boundRepository(scm.repository(ref), ref, origins, policy);
        return options.health?.watch(account, repository) ?? repository;
      },
    };
  };

  return {
    webhooks: [...options.plugins, ...(options.external ?? [])].map(({ webhook }) => webhook),
    forProvider: (spec) => selection.of(spec).plugin,
    sectionFor: (plugin, spec) => selection.sectionFor(plugin, spec),
    remoteOf: (provider, repository) => remoteIn(selection, provider, repository),
    connect,
    repository(provider, secret, { metadata, spec }) {
      const { plugin } = selection.of(provider.spec);
      const section = selection.sectionFor(plugin, spec);
      if (section === undefined) {
        throw new TypedError(
          'Invalid',
          `GitRepository ${metadata.name}: ${selection.fieldFor(plugin)} is missing; its provider ${provider.metadata.name} requires this field`,
          { reason: 'ScmMismatch' },
        );
      }
      const ref = { namespace: metadata.namespace ?? '', name: metadata.name, section };
      return connect(provider, secret).repository(ref);
    },
    close: () => dispatchers.close(),
  };
}

/** Returns the server that a provider names; undefined when it does not name one, or cannot be read. */
function serverOf(selection: PluginSelection, { spec }: { spec: object }): string | undefined {
  try {
    const { plugin, section } = selection.of(spec);
    return plugin.origins(section)[0];
  } catch {
    /* Its problem is reported for the repositories that use it. */
    return undefined;
  }
}

function remoteIn(selection: PluginSelection, provider: object, repository: object): string | undefined {
  try {
    const selected = selection.of(provider);
    const section = selection.sectionFor(selected.plugin, repository);
    return section === undefined ? undefined : remoteOf(selected, section);
  } catch (error) {
    if (isTyped(error, 'Invalid')) return undefined;
    throw error;
  }
}

function createContext(
  { timeoutMs, ...options }: ScmRegistryOptions & { timeoutMs: number },
  dispatchers: Dispatchers,
): ScmContext {
  const clock = options.clock ?? systemClock;
  const random = options.random ?? Math.random;
  const governors = new LRUCache<string, Governor>({ max: maxGovernors });
  return {
    uses: options.uses ?? ['contents', 'pullRequests', 'statuses'],
    clock,
    random,
    metrics: options.metrics ?? noScmMetrics,
    timeoutMs,
    dispatcher: (origin) => dispatchers.get(origin),
    governor(key, limits) {
      const known = governors.get(key);
      if (known !== undefined) return known;
      const governor = new Governor({ ...limits, clock, random });
      governors.set(key, governor);
      return governor;
    },
  };
}

/** One dispatcher per host. Beyond the bound, the connections of the least recently used host are closed after their calls. */
class Dispatchers {
  readonly #closing = new Set<Promise<void>>();
  readonly #byOrigin: LRUCache<string, Dispatcher>;

  constructor(readonly create: (origin: string) => Dispatcher) {
    this.#byOrigin = new LRUCache<string, Dispatcher>({
      max: maxHosts,
      dispose: (dispatcher) => {
        const closing = dispatcher.close().finally(() => this.#closing.delete(closing));
        this.#closing.add(closing);
      },
    });
  }

  get(origin: string): Dispatcher {
    const known = this.#byOrigin.get(origin);
    if (known !== undefined) return known;
    const dispatcher = this.create(origin);
    this.#byOrigin.set(origin, dispatcher);
    return dispatcher;
  }

  async close(): Promise<void> {
    this.#byOrigin.clear();
    await Promise.all(this.#closing);
  }
}

function keepAliveAgent(timeoutMs: number): Dispatcher {
  return new EnvHttpProxyAgent({
    connections: maxConnectionsPerHost,
    keepAliveTimeout: 30_000,
    maxResponseSize: maxResponseBytes,
    connect: { timeout: connectTimeoutMs },
    /* A proxy opens a tunnel after it has resolved the name and connected, which may take longer than a connection. */
    clientFactory: tunnelClients(timeoutMs),
  });
}
