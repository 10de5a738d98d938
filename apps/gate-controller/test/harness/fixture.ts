import {
  Gate,
  GateBinding,
  GateKeeper,
  GateOverride,
  keyOf,
  type Kind,
  type KubeObject,
} from '@interlock/api';
import { MovableClock } from '@interlock/base/testing';
import { startDevCluster, type DevCluster } from '@interlock/devcluster';
import {
  ConfigMap,
  createClient,
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
  type ApplyConfiguration,
  type Client,
} from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import {
  ensureNamespace,
  freePort,
  installCustomResources,
  installWebhooks,
  systemNamespace,
} from '@interlock/stack';
import { parse, parseAllDocuments } from 'yaml';
import { startGates, type Cluster, type GateProcess, type GateProcessOptions } from './gate-process.js';

const hour = 3_600_000;
const app = 'gate-controller';
/** The interval at which the process checks the configurations. */
const checkMs = 20_000;
const kinds: readonly Kind[] = [Gate, GateKeeper, GateOverride, GateBinding, ConfigMap];

interface FixtureOptions extends Partial<Omit<GateProcessOptions, 'skewMs' | 'admissionPort'>> {
  /** The time at which the test begins, in RFC 3339 and after today; defaults to now. */
  at?: string;
}

/** A cluster with the gate-controller, which the tests of a file share. A test can advance the time. */
export class Fixture {
  /** How far the controller's clock is ahead of the API server's; milliseconds. */
  skewMs = 0;
  #namespaces = 0;
  #process: GateProcess | undefined;

  readonly #parts: Cluster;
  readonly #options: Omit<GateProcessOptions, 'skewMs'> & { admissionPort: number };

  private constructor(
    readonly cluster: DevCluster,
    readonly client: Client,
    readonly clock: MovableClock,
    parts: Cluster,
    options: Omit<GateProcessOptions, 'skewMs'> & { admissionPort: number },
  ) {
    this.#parts = parts;
    this.#options = options;
  }

  static async start({ at, ...options }: FixtureOptions = {}): Promise<Fixture> {
    const clock = new MovableClock();
    const cluster = await startDevCluster({ now: () => new Date(clock.now()) });
    const admin = parse(cluster.kubeconfig) as Cluster['admin'];
    const client = createClient({ kubeConfig: admin, userAgent: 'test', defaultFieldManager: 'test' });
    await installCustomResources(client);
    await ensureNamespace(client, systemNamespace);
    const processOptions = { ...defaults, ...options, admissionPort: await freePort() };
    const fixture = new Fixture(cluster, client, clock, { client, admin }, processOptions);
    if (at !== undefined) fixture.travel(at);
    await fixture.begin();
    if (fixture.#options.servesAdmission) await fixture.installWebhooks();
    return fixture;
  }

  /** The current process. */
  get process(): GateProcess {
    if (this.#process === undefined) throw new Error('the gate controller does not run');
    return this.#process;
  }

  /** Starts the process with only the state of the cluster. */
  async begin(): Promise<void> {
    this.#process = await startGates(this.#parts, this.clock, {
      ...this.#options,
      skewMs: () => this.skewMs,
    });
  }

  /** Registers the webhooks of the process with the API server, which trusts it. */
  async installWebhooks(): Promise<void> {
    await installWebhooks(this.client, app, { port: this.#options.admissionPort });
    this.forward(checkMs);
    await eventually(async () => {
      const key = { name: `interlock-${app}` };
      const { webhooks: mutating = [] } = await this.client.get(MutatingWebhookConfiguration, key);
      const { webhooks: validating = [] } = await this.client.get(ValidatingWebhookConfiguration, key);
      for (const { name, clientConfig } of [...mutating, ...validating]) {
        if (clientConfig.caBundle === undefined) throw new Error(`${name} is not trusted yet`);
      }
      if (this.process.ports.admission === undefined) throw new Error('admission is not served yet');
    });
  }

  async end(): Promise<void> {
    await this.#process?.stop();
    this.#process = undefined;
  }

  /** Advances the time. */
  travel(to: string): void {
    this.forward(Date.parse(to) - this.clock.now());
  }

  forward(ms: number): void {
    if (ms < 0) throw new Error('the embedded cluster does not travel back');
    this.clock.forward(ms);
  }

  /** Returns the time, in milliseconds, as RFC 3339. */
  at(ms = 0): string {
    return new Date(this.clock.now() + ms).toISOString();
  }

  /** Creates a namespace and returns its name. */
  async namespace(): Promise<string> {
    const name = `team-${++this.#namespaces}`;
    await ensureNamespace(this.client, name);
    return name;
  }

  /** Returns a token of a service account. */
  async tokenOf(namespace: string, name: string): Promise<string> {
    const { status } = await this.client.raw<{ status: { token: string } }>({
      method: 'POST',
      path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
    });
    return status.token;
  }

  /** Creates a namespace in which manifests (YAML) have been applied, and returns its name. */
  async namespaceWith(yaml: string): Promise<string> {
    const namespace = await this.namespace();
    await this.apply(namespace, yaml);
    return namespace;
  }

  /** Applies manifests (YAML) unchanged, except for a missing namespace. */
  async apply(namespace: string, yaml: string): Promise<KubeObject[]> {
    const applied: KubeObject[] = [];
    for (const document of parseAllDocuments(yaml)) {
      const object = document.toJS() as (ApplyConfiguration & KubeObject) | null;
      if (object === null) continue;
      const kind = kinds.find((one) => one.kind === object.kind);
      if (kind === undefined) throw new Error(`what is ${object.kind}?`);
      const metadata = { namespace, ...object.metadata };
      applied.push(await this.client.apply(kind, { ...object, metadata }, { fieldManager: 'team' }));
    }
    return applied;
  }

  gate(namespace: string, name: string): Promise<Gate> {
    return this.client.get(Gate, { namespace, name });
  }

  /** Waits until the current spec of a gate has been evaluated and it passes a check. */
  gateIs(namespace: string, name: string, check: (gate: Gate) => void): Promise<Gate> {
    return this.passes(Gate, { namespace, name }, check);
  }

  /** Waits until an object passes a check, and returns it. */
  passes<T extends KubeObject>(
    kind: Kind<T>,
    key: { namespace: string; name: string },
    check: (object: T) => void,
  ): Promise<T> {
    return eventually(async () => {
      const object = await this.client.get(kind, key);
      check(object);
      return object;
    });
  }

  remove(kind: Kind, object: KubeObject): Promise<void> {
    return this.client.delete(kind, keyOf(object));
  }

  async close(): Promise<void> {
    await this.end();
    await this.client.close();
    await this.cluster.close();
  }
}

const defaults = {
  stateTtlMs: hour,
  auditTtlMs: 720 * hour,
  calendarHosts: [],
  servesAdmission: false,
};
