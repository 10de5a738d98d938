import { appendFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { silentLog, systemClock } from '@interlock/base';
import type { Manifest } from '@interlock/charts';
import { createCache, Deployment, Namespace, Pod, type Client } from '@interlock/kube';
import type { Namespaces } from '../cluster/cluster.js';
import { waitFor } from '../wait-for.js';
import { endpointOf, logOf, podsOf } from './app-pods.js';
import { applyManifest } from './apply-manifest.js';
import { apps, type AppName, type Fleet } from './fleet.js';
import { ensureNamespace } from './install.js';
import { messageOfLine } from './log-line.js';
import { rolloutOf, waitForRollout } from './rollout.js';
import { forwardService, type ServiceForward } from './service-forward.js';
import type { Supervision } from './supervise.js';

interface DeploymentFleetOptions {
  client: Client;
  namespaces: Namespaces;
  /** The charts of the apps, by the name of the release. */
  manifests: ReadonlyMap<AppName, readonly Manifest[]>;
  /** Folder for the logs of the apps. */
  folder: string;
  /** Aborts the start. */
  signal?: AbortSignal | undefined;
}

const fieldManager = 'stack';
const rolloutTimeoutMs = 120_000;
const fetchTimeoutMs = 10_000;

/**
 * Prepares the namespaces of the apps, which then run as Deployments. Does not start the apps. The responder does not
 * become available until a valid GitOpsResponderConfig exists.
 */
export async function createDeploymentFleet(options: DeploymentFleetOptions): Promise<Fleet> {
  const { client, namespaces } = options;
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  await client.apply(Namespace, { metadata: { name: namespaces.system, labels } }, { fieldManager });
  await ensureNamespace(client, namespaces.config);
  const forward = (name: string) => forwardService(client, { namespace: namespaces.system, name });
  return new DeploymentFleet(options, {
    promoter: await forward('promoter-webhooks'),
    'gitops-responder': await forward('gitops-responder-webhooks'),
    gates: await forward('gate-controller-gates'),
  });
}

type Forwards = Readonly<Record<'promoter' | 'gitops-responder' | 'gates', ServiceForward>>;
type ContainerStatus = NonNullable<NonNullable<Pod['status']>['containerStatuses']>[number];

class DeploymentFleet implements Fleet {
  readonly webhookUrls: Fleet['webhookUrls'];
  readonly gatesUrl: string;
  readonly #options: DeploymentFleetOptions;
  readonly #forwards: readonly ServiceForward[];

  constructor(options: DeploymentFleetOptions, forwards: Forwards) {
    const { gates, promoter, 'gitops-responder': responder } = forwards;
    this.#options = options;
    this.#forwards = Object.values(forwards);
    this.webhookUrls = { promoter: promoter.url, 'gitops-responder': responder.url };
    this.gatesUrl = gates.url;
  }

  async start(print?: (line: string) => void): Promise<void> {
    const { client, manifests, signal } = this.#options;
    for (const manifest of [...manifests.values()].flat()) await applyManifest(client, manifest);
    const ending = new AbortController();
    const signals = [ending.signal, ...(signal === undefined ? [] : [signal])];
    const options = { timeoutMs: rolloutTimeoutMs, signal: AbortSignal.any(signals) };
    try {
      await Promise.all(
        apps.map(async (app) => {
          await waitForRollout(client, this.#key(app), options);
          print?.(`  deployment/${app} is available`);
        }),
      );
    } finally {
      ending.abort();
    }
  }

  async stop(): Promise<void> {
    const { client, signal } = this.#options;
    await this.#saveLogs();
    const patch = { spec: { replicas: 0 } };
    for (const app of apps) await client.patch(Deployment, this.#key(app), { type: 'merge', patch });
    await waitFor(
      'the pods of the apps end',
      async () => {
        const pods = await Promise.all(apps.map((app) => podsOf(client, this.#key(app))));
        return pods.flat().length === 0;
      },
      signal,
    );
  }

  /** Saves the logs and ends the port forwards. The pods end with the cluster. */
  async close(): Promise<void> {
    try {
      await this.#saveLogs();
    } finally {
      await Promise.all(this.#forwards.map((forward) => forward.close()));
    }
  }

  async metrics(app: AppName): Promise<string> {
    const service = { ...this.#key(app), name: `${app}-metrics` };
    const endpoint = await endpointOf(this.#options.client, service);
    if (endpoint === undefined) throw new Error(`the Service ${service.name} has no ready endpoint`);
    const signal = AbortSignal.timeout(fetchTimeoutMs);
    return (await fetch(`http://${endpoint.host}:${endpoint.port}/metrics`, { signal })).text();
  }

  async ready(app: AppName): Promise<boolean> {
    const { client } = this.#options;
    const key = this.#key(app);
    return rolloutOf(await client.get(Deployment, key), await podsOf(client, key)).isAvailable;
  }

  async log(app: AppName): Promise<string> {
    const { client } = this.#options;
    const pods = await podsOf(client, this.#key(app));
    return (await Promise.all(pods.map((pod) => logOf(client, pod)))).join('');
  }

  /**
   * Reports each exit of a container after `restarts` restarts by the kubelet. Returns a function that stops reporting.
   */
  supervise({ restarts, onFailure }: Supervision): () => void {
    const { client, namespaces } = this.#options;
    const stopping = new AbortController();
    const pods = createCache(
      client,
      Pod,
      { namespace: namespaces.system },
      { clock: systemClock, random: Math.random, log: silentLog },
    );
    pods.subscribe((event) => {
      if (event.type === 'deleted' || event.object.metadata.deletionTimestamp !== undefined) return;
      const [status] = event.object.status?.containerStatuses ?? [];
      const [before] = (event.type === 'updated' ? event.old.status?.containerStatuses : undefined) ?? [];
      const known = Math.max(restarts, before?.restartCount ?? 0);
      if (status === undefined || status.restartCount <= known) return;
      void endOf(client, event.object, status).then((error) => {
        if (!stopping.signal.aborted) onFailure(error);
      });
    });
    void pods.run(stopping.signal);
    return () => stopping.abort();
  }

  #key(app: AppName): { namespace: string; name: string } {
    return { namespace: this.#options.namespaces.system, name: app };
  }

  /** Saves the logs of the apps, because the logs of pods are deleted with the pods. */
  async #saveLogs(): Promise<void> {
    for (const app of apps) {
      const folder = join(this.#options.folder, app);
      await mkdir(folder, { recursive: true });
      await appendFile(join(folder, 'log'), await this.log(app));
    }
  }
}

/** Returns how the previous run of a container ended. */
async function endOf(client: Client, pod: Pod, status: ContainerStatus): Promise<Error> {
  const exitCode = String(status.lastState?.terminated?.exitCode ?? 'none');
  const log = await logOf(client, pod, { previous: true, tailLines: 1 });
  const message = messageOfLine(log.trim()).slice(0, 2000);
  return new Error(`${status.name} in pod ${pod.metadata.name} ended with exit code ${exitCode}: ${message}`);
}
