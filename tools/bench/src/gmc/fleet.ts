import { readFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ActionsGateway } from '@interlock/api';
import { aborted, systemClock, timeLimit } from '@interlock/base';
import { createCache, Namespace, Secret, type Cache, type Client } from '@interlock/kube';
import {
  AppProcess,
  ensureNamespace,
  freePort,
  installCustomResources,
  installIdentity,
  startEmbeddedCluster,
  systemNamespace,
  writeAppKubeconfig,
} from '@interlock/stack';
import { Samples } from '../promoter/samples.js';

const app = 'gmc';
const fieldManager = 'bench';
const timeoutMs = 300_000;
const privateKey = '-----BEGIN RSA PRIVATE KEY-----\nA\n-----END RSA PRIVATE KEY-----\n';
const ignore = (): void => undefined;
const log = { debug: ignore, info: ignore, warn: ignore, error: ignore, child: () => log };

/** The bundle of the gmc as a process with the permissions of its chart, and an embedded cluster that does not run pods. */
export class TenantFleet {
  readonly #stopping = new AbortController();
  readonly #client: Client;
  readonly #gmc: AppProcess;
  readonly #gateways: Cache<ActionsGateway>;
  readonly #metricsUrl: string;

  private constructor(client: Client, gmc: AppProcess, metricsUrl: string) {
    this.#client = client;
    this.#gmc = gmc;
    this.#metricsUrl = metricsUrl;
    this.#gateways = createCache(
      client,
      ActionsGateway,
      {},
      { clock: systemClock, random: Math.random, log },
    );
  }

  /** Runs `measure` with a new fleet. */
  static async use<R>(signal: AbortSignal, measure: (fleet: TenantFleet) => Promise<R>): Promise<R> {
    const folder = await mkdtemp(join(tmpdir(), 'interlock-bench-'));
    const cluster = await startEmbeddedCluster();
    const client = cluster.connect(fieldManager);
    const kubeconfig = join(folder, 'kubeconfig');
    await installCustomResources(client);
    await ensureNamespace(client, systemNamespace);
    await installIdentity(client, app);
    await writeAppKubeconfig(client, cluster.admin, { namespace: systemNamespace, name: app }, kubeconfig);
    const metrics = `127.0.0.1:${await freePort()}`;
    const args = [
      ...[`--kubeconfig=${kubeconfig}`, `--namespace=${systemNamespace}`, '--leader-elect=false'],
      ...[`--metrics-bind-address=${metrics}`, '--health-probe-bind-address=0', '--admission-bind-address=0'],
      ...['--agc-image=agc:1', '--proxy-image=proxy:1', '--image-references=any', '--github-meta-url=none'],
    ];
    const gmc = new AppProcess({ app, args, logFile: join(folder, 'log') });
    const fleet = new TenantFleet(client, gmc, `http://${metrics}/metrics`);
    try {
      void fleet.#gateways.run(fleet.#stopping.signal);
      await fleet.#gateways.waitForSync(signal);
      gmc.start();
      return await measure(fleet);
    } finally {
      fleet.#stopping.abort();
      await gmc.stop();
      await client.close();
      await cluster.close();
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Creates a tenant. @param hasSecret whether the Secret that its gateway references exists */
  async create(name: string, hasSecret: boolean, signal: AbortSignal): Promise<void> {
    const labels = { 'actions-gateway.github.com/tenant': 'true' };
    await this.#client.create(Namespace, { metadata: { name, labels } }, { signal });
    if (hasSecret) {
      const stringData = { appId: '1', installationId: '2', privateKey };
      await this.#client.create(
        Secret,
        { metadata: { name: 'app', namespace: name }, stringData },
        { signal },
      );
    }
    const spec = {
      gitHubAppRef: { name: 'app' },
      gitHubURL: 'https://github.com/acme',
      runnerGroups: [{ name: 'linux', runnerLabels: ['linux'], podTemplate: {} }],
    };
    const { group, version, kind } = ActionsGateway;
    const metadata = { name: 'gateway', namespace: name };
    const gateway = { apiVersion: `${group}/${version}`, kind, metadata, spec };
    await this.#client.create(ActionsGateway, gateway, { signal });
  }

  /** Makes the gmc reconcile an unchanged tenant. */
  async touch(name: string, count: number, signal: AbortSignal): Promise<void> {
    const patch = { metadata: { annotations: { touched: String(count) } } };
    await this.#client.patch(Namespace, { name }, { type: 'merge', patch }, { signal });
  }

  /**
   * Waits until all objects of tenants are applied, and a condition has the given reason. @throws Error after the
   * timeout
   */
  async until(names: readonly string[], type: string, reason: string, signal: AbortSignal): Promise<void> {
    const late = timeLimit(timeoutMs, signal);
    const done = new AbortController();
    const missing = new Set(names);
    const off = this.#gateways.subscribe(({ object: { metadata, status } }) => {
      const reasonOf = (one: string) =>
        status?.conditions?.find((condition) => condition.type === one)?.reason;
      const isSo = reasonOf(type) === reason && reasonOf('Degraded') === 'ReconcileSucceeded';
      if (isSo) missing.delete(metadata.namespace ?? '');
      if (missing.size === 0) done.abort();
    });
    await Promise.race([aborted(done.signal), aborted(late)]);
    off();
    if (missing.size > 0) throw new Error(`${missing.size} tenants are not ${reason}`);
  }

  /** Returns the metrics of the gmc. */
  async samples(signal: AbortSignal): Promise<Samples> {
    const response = await fetch(this.#metricsUrl, { signal });
    return new Samples(await response.text());
  }

  /** Returns the memory of the gmc in MiB. */
  async residentMebibytes(): Promise<number> {
    const text = await readFile(`/proc/${this.#gmc.pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1]) / 1024;
  }
}
