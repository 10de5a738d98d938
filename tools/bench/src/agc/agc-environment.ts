import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { startActionsService, type ActionsService } from '@interlock/actions-service';
import { RunnerGroup, workerServiceAccount, type RunnerGroupSpec } from '@interlock/api';
import { Role, RoleBinding, ServiceAccount, type Client } from '@interlock/kube';
import { SimulatedRunners, StatusKubelet } from '@interlock/runner-image';
import {
  AppProcess,
  ensureNamespace,
  freePort,
  installCustomResources,
  startEmbeddedCluster,
  writeAppKubeconfig,
  type EmbeddedCluster,
} from '@interlock/stack';
import { parse } from 'yaml';
import { imageEnv, imageFlags } from './image-settings.js';

export const namespace = 'team-a';
const account = 'agc';
const fieldManager = 'bench';
const lookMs = 20;
/* Paths are relative to the bundle of this tool. */
const roleFile = fileURLToPath(new URL('../../../charts/agc/files/rules.yaml', import.meta.url));

/**
 * The embedded cluster and the Actions service in this process, and the bundle of the AGC in another process, with
 * the permissions of its chart.
 */
export class AgcEnvironment {
  readonly #closing: (() => Promise<unknown>)[] = [];

  private constructor(
    readonly folder: string,
    readonly cluster: EmbeddedCluster,
    readonly client: Client,
    readonly service: ActionsService,
    readonly app: AppProcess,
  ) {}

  /** Runs `measure` in a separate environment in which the AGC has started. */
  static async use<R>(measure: (environment: AgcEnvironment) => Promise<R>): Promise<R> {
    const folder = await mkdtemp(join(tmpdir(), 'interlock-bench-'));
    const cluster = await startEmbeddedCluster();
    const client = cluster.connect('bench');
    const service = await startActionsService({ busyPolls: true, rateLimit: 1_000_000 });
    let environment: AgcEnvironment | undefined;
    try {
      await installCustomResources(client);
      const app = await createApp(folder, cluster, client, service);
      environment = new AgcEnvironment(folder, cluster, client, service, app);
      environment.#start();
      return await measure(environment);
    } finally {
      if (environment !== undefined) await environment.#close();
      await service.close();
      await client.close();
      await cluster.close();
      await rm(folder, { recursive: true, force: true });
    }
  }

  async createGroup(name: string, spec: Partial<RunnerGroupSpec>): Promise<void> {
    await this.client.create(RunnerGroup, {
      apiVersion: 'actions-gateway.github.com/v1alpha1',
      kind: RunnerGroup.kind,
      metadata: { name, namespace },
      spec: { name, runnerLabels: ['self-hosted', name], podTemplate: {}, ...spec },
    });
  }

  /** Waits until a condition holds. @throws Error when it does not hold in time; the signal's reason */
  async until(what: string, timeoutMs: number, signal: AbortSignal, holds: () => boolean): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    while (!holds()) {
      if (!this.app.running) throw new Error('the AGC has ended');
      if (performance.now() > deadline) throw new Error(`${what}: not after ${timeoutMs / 1000} s`);
      await sleep(lookMs, undefined, { signal });
    }
  }

  #start(): void {
    const { client } = this;
    const kubelet = new StatusKubelet(client, namespace);
    const runners = new SimulatedRunners({ client, namespace, end: (pod, code) => kubelet.end(pod, code) });
    this.#closing.push(
      () => kubelet.close(),
      () => runners.close(),
    );
    this.app.start();
  }

  async #close(): Promise<void> {
    await this.app.kill();
    for (const close of this.#closing.reverse()) await close();
  }
}

/** Creates the objects that the chart creates, and returns the process of the AGC. */
async function createApp(
  folder: string,
  cluster: EmbeddedCluster,
  client: Client,
  service: ActionsService,
): Promise<AppProcess> {
  await ensureNamespace(client, namespace);
  for (const name of [account, workerServiceAccount])
    await client.apply(ServiceAccount, { metadata: { name, namespace } }, { fieldManager });
  const metadata = { name: account, namespace };
  const rules = parse(await readFile(roleFile, 'utf8')) as NonNullable<Role['rules']>;
  await client.apply(Role, { metadata, rules }, { fieldManager });
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: Role.kind, name: account };
  const subjects = [{ kind: ServiceAccount.kind, name: account, namespace }];
  await client.apply(RoleBinding, { metadata, subjects, roleRef }, { fieldManager });
  const kubeconfig = join(folder, 'kubeconfig');
  await writeAppKubeconfig(client, cluster.admin, metadata, kubeconfig);
  const secret = join(folder, 'github-app');
  await writeCredential(secret, service);
  return new AppProcess({
    app: account,
    logFile: join(folder, 'log'),
    /* The inspector is for memory readings. */
    env: { ...imageEnv, NODE_OPTIONS: [...imageFlags, '--inspect=127.0.0.1:0'].join(' ') },
    args: [
      ...[
        `--kubeconfig=${kubeconfig}`,
        `--namespace=${namespace}`,
        '--allow-http',
        '--hourly-budget=1000000',
      ],
      ...[`--github-url=${new URL(service.urls.rest).origin}/acme`, `--github-app-secret-dir=${secret}`],
      `--metrics-bind-address=127.0.0.1:${await freePort()}`,
      `--health-probe-bind-address=127.0.0.1:${await freePort()}`,
    ],
  });
}

async function writeCredential(folder: string, { app, installationId }: ActionsService): Promise<void> {
  await mkdir(folder);
  const values = {
    appId: String(app.id),
    installationId: String(installationId),
    privateKey: app.privateKey,
  };
  for (const [key, value] of Object.entries(values))
    await writeFile(join(folder, key), value, { mode: 0o600 });
}
