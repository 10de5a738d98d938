import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ActionsService, EnqueueOptions, JobHandle } from '@interlock/actions-service';
import { isTyped, RunnerGroup, workerServiceAccount, type RunnerGroupSpec } from '@interlock/api';
import {
  Event,
  Lease,
  Namespace,
  type Pod,
  Role,
  RoleBinding,
  ServiceAccount,
  type Client,
} from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { SimulatedRunners, StatusKubelet } from '@interlock/runner-image';
import { AppProcess, ensureNamespace, freePort, writeAppKubeconfig, type Cluster } from '@interlock/stack';
import { parse } from 'yaml';
import { root } from './program.js';

/** A rule of the Role of charts/agc. */
interface RoleRule {
  apiGroups: string[];
  resources: string[];
  verbs: string[];
}

export interface JobsTenantOptions {
  cluster: Cluster;
  client: Client;
  /** Name of the namespace, which only the tenant uses. */
  name: string;
  service: ActionsService;
  /** Folder for kubeconfigs, the credential and logs. */
  folder: string;
  /** Processes of the AGC. Default: 3. */
  replicas?: number | undefined;
  /** Default: the rules of the chart. */
  rules?: readonly RoleRule[] | undefined;
  /** Additional arguments of each process. Default: `--allow-http`. */
  args?: readonly string[] | undefined;
  /** Whether the AGC can remove its runners at the service, so that its RunnerGroups can be deleted. Default: true. */
  reachesService?: boolean | undefined;
}

const account = 'agc';
const fieldManager = 'e2e';
const leaveMs = 30_000;

/** Returns the rules of the Role that the chart of the AGC creates. */
export async function chartRules(): Promise<RoleRule[]> {
  return parse(await readFile(join(root, 'charts/agc/files/rules.yaml'), 'utf8')) as RoleRule[];
}

/** Returns rules without one verb for one resource. @throws Error if they do not contain it */
export function withoutVerb(rules: readonly RoleRule[], resource: string, verb: string): RoleRule[] {
  const found = rules.find(({ resources, verbs }) => resources.includes(resource) && verbs.includes(verb));
  if (found === undefined) throw new Error(`the Role does not have ${verb} ${resource}`);
  return rules.map((rule) =>
    rule === found ? { ...rule, verbs: rule.verbs.filter((one) => one !== verb) } : rule,
  );
}

/**
 * A tenant with its own namespace: replicas of the AGC as processes with the permissions of the chart, a simulated
 * kubelet, and a simulated runner in every worker pod.
 */
export class JobsTenant {
  readonly replicas: AppProcess[];
  readonly runners: SimulatedRunners;
  readonly kubelet: StatusKubelet;

  readonly #options: JobsTenantOptions;

  private constructor(
    options: JobsTenantOptions,
    readonly kubeconfig: string,
    args: readonly (readonly string[])[],
  ) {
    this.#options = options;

    const { client, name, folder } = options;
    this.kubelet = new StatusKubelet(client, name);
    const end = (pod: Pod, exitCode: number): Promise<void> => this.kubelet.end(pod, exitCode);
    this.runners = new SimulatedRunners({ client, namespace: name, end });
    this.replicas = args.map(
      (own, index) =>
        new AppProcess({ app: account, args: own, logFile: join(folder, name, `log-${index}`) }),
    );
  }

  /** Creates the namespace and the objects of the chart. Does not start the AGC. */
  static async create(options: JobsTenantOptions): Promise<JobsTenant> {
    const { client, cluster, name, service, folder, replicas = 3, rules } = options;
    await ensureNamespace(client, name);
    for (const one of [account, workerServiceAccount])
      await client.apply(ServiceAccount, { metadata: { name: one, namespace: name } }, { fieldManager });
    const home = join(folder, name);
    await mkdir(home, { recursive: true });
    const kubeconfig = join(home, 'kubeconfig');
    await writeAppKubeconfig(client, cluster.admin, { namespace: name, name: account }, kubeconfig);
    await writeCredential(join(home, 'github-app'), service);
    const { origin } = new URL(service.urls.rest);
    const common = [
      ...[`--kubeconfig=${kubeconfig}`, `--namespace=${name}`, '--log-level=debug'],
      /* The REST API is found below /api/v3, as at GitHub Enterprise Server. */
      ...[`--github-url=${origin}/acme`, `--github-app-secret-dir=${join(home, 'github-app')}`],
      ...(options.args ?? ['--allow-http']),
    ];
    const args: string[][] = [];
    for (let replica = 0; replica < replicas; replica++) {
      const [metrics, health] = [await freePort(), await freePort()];
      args.push([
        ...common,
        `--metrics-bind-address=127.0.0.1:${metrics}`,
        `--health-probe-bind-address=127.0.0.1:${health}`,
      ]);
    }
    const tenant = new JobsTenant(options, kubeconfig, args);
    await tenant.grant(rules ?? (await chartRules()));
    return tenant;
  }

  get name(): string {
    return this.#options.name;
  }

  /** Replaces the permissions of the AGC. */
  async grant(rules: readonly RoleRule[]): Promise<void> {
    const { client, name } = this.#options;
    const metadata = { name: account, namespace: name };
    await client.apply(Role, { metadata, rules }, { fieldManager });
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: Role.kind, name: account };
    const subjects = [{ kind: ServiceAccount.kind, name: account, namespace: name }];
    await client.apply(RoleBinding, { metadata, subjects, roleRef }, { fieldManager });
  }

  start(): void {
    for (const replica of this.replicas) replica.start();
  }

  async createGroup(name: string, spec: Partial<RunnerGroupSpec> = {}): Promise<void> {
    await this.#options.client.create(RunnerGroup, {
      apiVersion: 'actions-gateway.github.com/v1alpha1',
      kind: RunnerGroup.kind,
      metadata: { name, namespace: this.name },
      spec: { name, runnerLabels: ['self-hosted', name], podTemplate: {}, ...spec },
    });
  }

  enqueue(group: string, request: Partial<EnqueueOptions> = {}): JobHandle {
    const { service } = this.#options;
    return service.enqueue({ repository: 'acme/web', labels: ['self-hosted', group], ...request });
  }

  /** Returns the latest attempt of the only job of a run. */
  latest({ runId }: JobHandle): JobHandle | undefined {
    const attempts = this.#options.service.jobs().filter((job) => job.runId === runId);
    return attempts.sort((a, b) => b.attempt - a.attempt)[0];
  }

  /** Returns the number of jobs that have succeeded, possibly in a later attempt. */
  succeeded(jobs: readonly JobHandle[]): number {
    return jobs.filter((job) => this.latest(job)?.conclusion === 'success').length;
  }

  async untilSucceeded(jobs: readonly JobHandle[], timeoutMs?: number): Promise<void> {
    await eventually(() => {
      const count = this.succeeded(jobs);
      if (count < jobs.length) throw new Error(`${count} of ${jobs.length} jobs have succeeded`);
    }, timeoutMs);
  }

  /** Returns the replica that leads a group, by the identity in its Lease, which ends with the process id. */
  async leaderOf(group: string): Promise<AppProcess | undefined> {
    const { items } = await this.#options.client.list(Lease, { namespace: this.name });
    const lease = items.find(({ metadata }) => metadata.name === `runnergroup-${group}`);
    const pid = Number(lease?.spec?.holderIdentity?.split('-').at(-1));
    return this.replicas.find((replica) => replica.running && replica.pid === pid);
  }

  async logs(): Promise<string> {
    const texts = this.replicas.map(({ options }) => readFile(options.logFile, 'utf8').catch(() => ''));
    return (await Promise.all(texts)).join('\n');
  }

  /** Returns the output of the AGC: logs, and the status and events of RunnerGroups. */
  async reports(): Promise<string> {
    const { client, name: namespace } = this.#options;
    const groups = await client.list(RunnerGroup, { namespace });
    const events = await client.list(Event, { namespace });
    return `${await this.logs()}\n${JSON.stringify([groups.items, events.items])}`;
  }

  /** Deletes the RunnerGroups while the AGC removes their runners, then all other objects. */
  async close(): Promise<void> {
    const { client, name } = this.#options;
    try {
      await this.#removeGroups();
    } finally {
      await Promise.all(this.replicas.map((replica) => replica.kill()));
      await this.runners.close();
      await this.kubelet.close();
      await client.delete(Namespace, { name });
    }
  }

  async #removeGroups(): Promise<void> {
    const { client, name: namespace } = this.#options;
    const { items } = await client.list(RunnerGroup, { namespace });
    for (const { metadata } of items)
      await client.delete(RunnerGroup, { name: metadata.name, namespace }).catch(ignoreAbsent);
    try {
      if (this.#options.reachesService === false) return;
      await eventually(async () => {
        const left = await client.list(RunnerGroup, { namespace });
        if (left.items.length > 0)
          throw new Error(`${left.items.length} RunnerGroups of ${namespace} remain`);
      }, leaveMs);
    } finally {
      const finalizers = { type: 'merge', patch: { metadata: { finalizers: [] } } } as const;
      for (const { metadata } of items)
        await client.patch(RunnerGroup, { name: metadata.name, namespace }, finalizers).catch(ignoreAbsent);
    }
  }
}

function ignoreAbsent(error: unknown): void {
  if (!isTyped(error, 'NotFound')) throw error;
}

async function writeCredential(folder: string, { app, installationId }: ActionsService): Promise<void> {
  await mkdir(folder, { recursive: true });
  const values = {
    appId: String(app.id),
    installationId: String(installationId),
    privateKey: app.privateKey,
  };
  for (const [key, value] of Object.entries(values))
    await writeFile(join(folder, key), value, { mode: 0o600 });
}
