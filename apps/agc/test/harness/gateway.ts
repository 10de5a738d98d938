import { readFileSync } from 'node:fs';
import { RunnerGroup, runnerLabels, workerServiceAccount, type RunnerGroupSpec } from '@interlock/api';
import {
  startActionsService,
  type ActionsService,
  type ActionsServiceOptions,
  type EnqueueOptions,
  type JobHandle,
} from '@interlock/actions-service';
import { systemClock, type Clock } from '@interlock/base';
import { createBroker, createHttpClient, type Broker } from '@interlock/broker';
import { startDevCluster, type DevCluster } from '@interlock/devcluster';
import {
  createClient,
  CustomResourceDefinition,
  Namespace,
  Pod,
  Secret,
  ServiceAccount,
  type Client,
} from '@interlock/kube';
import { eventually, TestManager } from '@interlock/kube/testing';
import { SimulatedRunners } from '@interlock/runner-image';
import { tracing } from '@opentelemetry/sdk-node';
import { parse } from 'yaml';
import { addAgc } from '../../src/app.js';
import { prometheusBrokerMetrics } from '../../src/github/metrics.js';
import type { LedGroups } from '../../src/group/led-groups.js';
import { prometheusAgcMetrics } from '../../src/metrics.js';
import type { SimulatedTime } from './simulated-time.js';

const { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } = tracing;
export const namespace = 'team-a';
const crd = new URL(
  '../../../../charts/interlock-crds/crds/actions-gateway.github.com_runnergroups.yaml',
  import.meta.url,
);
const program = 'interlock-worker-test';

/** A replica of the AGC, wired as in its own process but running in this one. */
export interface Replica {
  readonly groups: LedGroups;
  readonly log: TestManager['log'];
  metric(name: string, labels?: Readonly<Record<string, string>>): Promise<number>;
  /** Stops the replica as SIGTERM does. */
  stop(): Promise<void>;
  /** Ends the replica as SIGKILL does: all of its later calls fail. */
  kill(): void;
}

export interface GatewayOptions extends Omit<ActionsServiceOptions, 'clock'> {
  /** The time of the service and of the replicas; defaults to the time of the machine, with short leases and polls. */
  time?: SimulatedTime | undefined;
}

const shortLeases = { leaseDurationMs: 1_500, renewDeadlineMs: 1_000, retryPeriodMs: 300 };

/** A tenant's cluster and the Actions service, with a runner in every worker pod. */
export class Gateway {
  readonly #replicas: Replica[] = [];
  /** The spans of all replicas, in the order in which they end. */
  readonly spans = new InMemorySpanExporter();
  readonly #tracer = new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(this.spans)],
  }).getTracer('test');

  readonly #dialect: 'live' | 'seed';
  readonly #time: SimulatedTime | undefined;

  private constructor(
    readonly cluster: DevCluster,
    readonly service: ActionsService,
    readonly client: Client,
    readonly workers: SimulatedRunners,
    dialect: 'live' | 'seed',
    time: SimulatedTime | undefined,
  ) {
    this.#dialect = dialect;
    this.#time = time;
  }

  static async start({ time, ...options }: GatewayOptions = {}): Promise<Gateway> {
    const clock: Clock = time?.clock ?? systemClock;
    const cluster = await startDevCluster({
      now: () => new Date(clock.now()),
      nodes: [{ name: 'node', capacity: { cpu: '1000', memory: '4000Gi', pods: '2000' } }],
    });
    const service = await startActionsService({
      ...options,
      clock,
      timings: { ...(time === undefined && { pollHold: 2_000, redelivery: 200 }), ...options.timings },
    });
    const client = createClient({
      kubeConfig: parse(cluster.kubeconfig) as object,
      userAgent: 'test',
      defaultFieldManager: 'test',
    });
    await client.create(CustomResourceDefinition, parse(readFileSync(crd, 'utf8')));
    await client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await client.create(ServiceAccount, {
      ...{ apiVersion: 'v1', kind: 'ServiceAccount' },
      metadata: { name: workerServiceAccount, namespace },
    });
    const end = async ({ metadata: { name } }: Pod, exitCode: number): Promise<void> =>
      cluster.pods.simulate(
        { namespace, name },
        exitCode === 0 ? { type: 'succeed' } : { type: 'fail', exitCode },
      );
    const workers = new SimulatedRunners({ client, namespace, end });
    return new Gateway(cluster, service, client, workers, options.dialect ?? 'live', time);
  }

  /** Creates a RunnerGroup. */
  async createGroup(name: string, spec: Partial<RunnerGroupSpec> = {}): Promise<RunnerGroup> {
    const object = {
      apiVersion: 'actions-gateway.github.com/v1alpha1',
      kind: 'RunnerGroup',
      metadata: { name, namespace },
      spec: { name, runnerLabels: ['self-hosted', name], podTemplate: {}, ...spec },
    };
    let group: RunnerGroup | undefined;
    await eventually(async () => {
      group = await this.client.create(RunnerGroup, object);
    });
    if (group === undefined) throw new Error('not created');
    return group;
  }

  /** Queues a job for a group. */
  enqueue(group: string, request: Partial<EnqueueOptions> = {}): JobHandle {
    return this.service.enqueue({ repository: 'acme/web', labels: ['self-hosted', group], ...request });
  }

  /** Returns the current state of a job at the service. */
  job({ id }: JobHandle): JobHandle {
    const job = this.service.job(id);
    if (job === undefined) throw new Error(`no job ${id}`);
    return job;
  }

  /** Returns the latest attempt of the only job of a run. */
  latest({ runId }: JobHandle): JobHandle {
    const [latest] = this.service
      .jobs()
      .filter((job) => job.runId === runId)
      .sort((a, b) => b.attempt - a.attempt);
    if (latest === undefined) throw new Error(`no job of run ${runId}`);
    return latest;
  }

  /** Resolves when the latest attempts of jobs have been concluded as `success`. */
  async untilSucceeded(jobs: readonly JobHandle[]): Promise<void> {
    const conclusions = (): unknown[] => jobs.map((job) => this.latest(job).conclusion);
    await eventually(() => {
      const open = conclusions().filter((conclusion) => conclusion !== 'success');
      if (open.length > 0)
        throw new Error(`${open.length} of ${jobs.length} jobs: ${JSON.stringify(open.slice(0, 5))}`);
    });
  }

  /** Returns the worker pod of a job; undefined while there is none. */
  async podOf(job: JobHandle): Promise<Pod | undefined> {
    const { planId } = this.job(job);
    const labelSelector = `${runnerLabels.planId}=${planId}`;
    const { items } = await this.client.list(Pod, { namespace, labelSelector });
    return items.at(-1);
  }

  /** Returns the names of the Secrets of a group's jobs. */
  async recordsOf(group: string): Promise<string[]> {
    const labelSelector = `${runnerLabels.runnerGroup}=${group},${runnerLabels.component}=job`;
    const { items } = await this.client.list(Secret, { namespace, labelSelector, metadataOnly: true });
    return items.map(({ metadata }) => metadata.name);
  }

  /** Resolves when the runner of a job has reported that it runs. */
  async untilStarted(job: JobHandle): Promise<Pod> {
    return eventually(async () => {
      const pod = await this.podOf(job);
      if (pod === undefined || this.job(job).workers.length === 0) throw new Error('it has not started');
      return pod;
    });
  }

  /** Evicts a pod as draining a node does. */
  async evict({ metadata: { name } }: Pod): Promise<void> {
    await this.client.raw({
      method: 'POST',
      path: `/api/v1/namespaces/${namespace}/pods/${name}/eviction`,
      body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } },
    });
  }

  group(name: string): Promise<RunnerGroup> {
    return this.client.get(RunnerGroup, { name, namespace });
  }

  startReplica(identity: string): Replica {
    const kubeConfig = parse(this.cluster.kubeconfig) as object;
    const direct = createClient({ kubeConfig, userAgent: 'agc', defaultFieldManager: 'agc' });
    const client = this.#time?.holdFor(direct) ?? direct;
    const test = new TestManager(client, this.#time?.clock ?? systemClock, 'agc');
    const broker = this.#broker(test);
    const groups = addAgc({
      ...{
        manager: test.manager,
        log: test.log,
        tracer: this.#tracer,
        events: test.events,
        random: Math.random,
      },
      ...{ namespace, identity, broker },
      metrics: prometheusAgcMetrics(test.registry, namespace),
      runnerVersion: '2.335.1',
      runnerArchitecture: 'X64',
      runnerGroupId: 1,
      leaseTiming: this.#time === undefined ? shortLeases : undefined,
      worker: {
        gitHubUrl: this.service.urls.rest,
        defaultImage: 'ghcr.io/actions/actions-runner:2.335.1',
        securityProfile: 'baseline',
        programConfigMap: program,
        podGraceSeconds: 35,
      },
    });
    test.run();
    let isKilled = false;
    const replica: Replica = {
      groups,
      log: test.log,
      metric: (name, labels) => test.metric(name, labels),
      async stop() {
        if (isKilled) return;
        await test.stop();
        await broker.close();
        await client.close();
      },
      kill() {
        isKilled = true;
        void client.close();
        void broker.close();
        void test.stop().catch(() => undefined);
      },
    };
    this.#replicas.push(replica);
    return replica;
  }

  async close(): Promise<void> {
    await Promise.all(this.#replicas.map((replica) => replica.stop()));
    await this.workers.close();
    await this.service.close();
    await this.client.close();
    await this.cluster.close();
  }

  #broker({ log, registry }: TestManager): Broker {
    const { app, installationId, urls } = this.service;
    const { origin } = new URL(urls.rest);
    const credential = {
      appId: String(app.id),
      installationId: String(installationId),
      privateKey: app.privateKey,
    };
    const http = createHttpClient({ ca: this.service.ca });
    return createBroker({
      http: this.#time?.holdForHttp(http) ?? http,
      clock: this.#time?.clock,
      githubUrl: `${origin}/acme`,
      apiUrl: urls.rest,
      credential: () => Promise.resolve(credential),
      allowHttp: true,
      dialect: this.#dialect,
      hourlyBudget: 10_000_000,
      metrics: prometheusBrokerMetrics(registry, namespace),
      log,
    });
  }
}
