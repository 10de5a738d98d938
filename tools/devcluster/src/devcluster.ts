import { createPrivateKey, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '@interlock/base';
import {
  authenticator,
  ensureCertificates,
  RbacAuthorizer,
  serviceAccountTokens,
  type Certificates,
} from './auth/index.js';
import { tokenOwnerUid } from './auth/token-owners.js';
import { admissionPlugins } from './admission/index.js';
import { WebhookClient } from './admission/webhooks/client.js';
import { resolveService } from './admission/webhooks/services.js';
import type { Cluster } from './api/cluster.js';
import { machineClock } from './clock.js';
import { builtinKinds } from './builtin/index.js';
import type { Metrics } from './controllers/autoscaling/metrics.js';
import { EventNames } from './controllers/event-names.js';
import { startControllers } from './controllers/index.js';
import type { NodeOptions } from './kubelet/node/options.js';
import type { ImageTable } from './kubelet/process/image-table.js';
import type { KubeletOptions } from './kubelet/start.js';
import { startNodes, type Nodes, type SimulatedPods } from './kubelet/start-nodes.js';
import { kubeconfigText } from './kubeconfig.js';
import { Registry } from './registry/registry.js';
import { ApiServer } from './server/api-server.js';
import { Faults } from './server/faults.js';
import { openJournal } from './store/journal.js';
import { Store } from './store/store.js';

const issuer = 'https://kubernetes.default.svc';

export interface DevClusterOptions {
  /** Default: a free port. */
  port?: number;
  /** Folder for the state; default: in memory. `openJournal` describes the durability. */
  dataDir?: string | undefined;
  /** The clock of timestamps and expiry; default: the time of `clock`. */
  now?: () => Date;
  /** The clock and the timers of the controllers; default: the clock of the machine. */
  clock?: Clock;
  /** The nodes; default: none, so that pods stay pending and there is no scheduler. */
  nodes?: readonly NodeOptions[];
  /** Kubelets of nodes that clients register; default: none. */
  kubelets?: readonly KubeletOptions[];
  /** The programs of images. */
  images?: ImageTable;
  /** Addresses of additional host names that the processes of pods can resolve. */
  hosts?: Readonly<Record<string, string>>;
  /** The metrics that autoscalers read; default: none, as in a cluster without a metrics API. */
  metrics?: Metrics;
  /** Number of changes of each resource after which a watch can no longer be resumed. Default: 5000. */
  historyLimit?: number;
  /**
   * Delay between the request to delete a namespace and the deletion of its content, so that clients can read the
   * unchanged namespace. Default: 500 ms. Kubernetes waits five seconds for its other API servers.
   */
  namespaceGraceMs?: number;
}

/** A running API server. */
export interface DevCluster {
  /** `https://127.0.0.1:<port>`. */
  readonly url: string;
  /** A kubeconfig (YAML text) for a cluster admin. */
  readonly kubeconfig: string;
  /** A bearer token of a member of system:masters. */
  readonly adminToken: string;
  /** The certificate authority of the server, PEM. */
  readonly caCert: string;
  /** Faults that tests inject into the server. */
  readonly faults: Faults;
  /** Operations on the nodes, for tests. */
  readonly nodes: Nodes;
  /** Operations on the pods of simulated nodes, for tests. */
  readonly pods: SimulatedPods;
  /** Writes the kubeconfig to a file that only its owner can read. */
  writeKubeconfig(path: string): void;
  /** Discards the history: earlier watches fail with 410. */
  compact(): void;
  /** Stops listening, drops every connection, and listens again on the same port with the same state. */
  restart(): Promise<void>;
  /** Stops the server. With a dataDir, the state is on disk afterwards. */
  close(): Promise<void>;
}

/** The state that must not change across restarts, so that clients can reconnect. */
interface Identity {
  adminToken: string;
  tokenKey: string;
  certificates: Certificates;
}

/**
 * Starts an embedded Kubernetes API server on 127.0.0.1. Throws if the port is in use or the dataDir cannot be used.
 */
export async function startDevCluster(options: DevClusterOptions = {}): Promise<DevCluster> {
  const { dataDir, clock = machineClock, port = 0, namespaceGraceMs = 500 } = options;
  const now = options.now ?? (() => new Date(clock.now()));
  const identity = await loadIdentity(dataDir, now());
  const store = new Store(options.historyLimit === undefined ? {} : { historyLimit: options.historyLimit });
  if (dataDir !== undefined) openJournal(dataDir, store);
  const webhooks = new WebhookClient((...service) => resolveService(store, ...service));
  const cluster = createCluster(store, identity, { now, clock }, webhooks);
  const { cert, key, caCert } = identity.certificates;
  const stops = await startControllers(cluster, { caCert, namespaceGraceMs, metrics: options.metrics });
  const faults = new Faults();
  const server = new ApiServer(cluster, { cert, key, host: '127.0.0.1', faults });
  const actualPort = await server.listen(port);
  const url = `https://127.0.0.1:${String(actualPort)}`;
  const { nodes = [], kubelets = [], images = {}, hosts = {} } = options;
  const apiServer = { host: '127.0.0.1', port: actualPort };
  const running = await startNodes({ cluster, clock, images, hosts, apiServer }, { nodes, kubelets });
  const kubeconfig = kubeconfigText(url, caCert, identity.adminToken);
  return {
    url,
    kubeconfig,
    caCert,
    faults,
    adminToken: identity.adminToken,
    nodes: running.nodes,
    pods: running.pods,
    writeKubeconfig: (path) => {
      writeFileSync(path, kubeconfig, { mode: 0o600 });
    },
    compact: () => {
      store.compact();
    },
    restart: async () => {
      await server.close();
      await server.listen(actualPort);
    },
    close: async () => {
      await running.stop();
      await server.close();
      await webhooks.close();
      for (const stop of stops) stop();
      store.close();
    },
  };
}

function createCluster(
  store: Store,
  identity: Identity,
  { now, clock }: Pick<Cluster, 'now' | 'clock'>,
  webhooks: WebhookClient,
): Cluster {
  const rbac = new RbacAuthorizer();
  const registry = new Registry();
  registry.add(...builtinKinds);
  const tokens = serviceAccountTokens({
    privateKey: createPrivateKey(identity.tokenKey),
    issuer: issuer,
    audiences: [issuer],
    now,
    uidOf: (kind, namespace, name) => tokenOwnerUid(store, { kind, namespace, name }, now()),
  });
  return {
    store,
    registry,
    rbac,
    tokens,
    now,
    clock,
    audiences: [issuer],
    authenticator: authenticator(identity.adminToken, tokens),
    kubelets: new Map(),
    eventNames: new EventNames(),
    admission: admissionPlugins({ store, rbac }, webhooks),
    newUid: randomUUID,
    newSuffix: nameSuffix,
  };
}

/** Letters that cannot form words (k8s.io/apimachinery/pkg/util/rand). */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

function nameSuffix(): string {
  return Array.from(randomBytes(5), (byte) => alphabet.charAt(byte % alphabet.length)).join('');
}

async function loadIdentity(dataDir: string | undefined, now: Date): Promise<Identity> {
  const file = dataDir === undefined ? undefined : join(dataDir, 'identity.json');
  const stored =
    file !== undefined && existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Identity) : undefined;
  const certificates = await ensureCertificates(stored?.certificates, now);
  const identity: Identity = {
    adminToken: stored?.adminToken ?? randomBytes(24).toString('base64url'),
    tokenKey: stored?.tokenKey ?? newTokenKey(),
    certificates,
  };
  if (file !== undefined && dataDir !== undefined && certificates !== stored?.certificates) {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    writeFileSync(file, JSON.stringify(identity), { mode: 0o600 });
  }
  return identity;
}

function newTokenKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}
