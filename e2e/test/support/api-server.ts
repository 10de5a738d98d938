import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient, type Client } from '@interlock/kube';
import { freePort } from '@interlock/stack';
import {
  ClusterRole,
  ClusterRoleBinding,
  CustomResourceDefinition,
  Event,
  MutatingWebhookConfiguration,
  Namespace,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from '@interlock/kube';
import type { Kind } from '@interlock/api';
import { Program } from './program.js';

const kinds: readonly Kind[] = [
  Namespace,
  CustomResourceDefinition,
  ClusterRole,
  ClusterRoleBinding,
  MutatingWebhookConfiguration,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
];

/** The embedded API server as a separate process, which is independent of the stack and stores its state on disk. */
export class ApiServer {
  #program: Program | undefined;
  #client: Client | undefined;

  readonly #folder: string;
  readonly #port: number;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#port = port;
  }

  /** @param folder the folder for its state and its kubeconfig */
  static async start(folder: string): Promise<ApiServer> {
    const server = new ApiServer(folder, await freePort());
    await server.serve();
    return server;
  }

  get kubeconfig(): string {
    return join(this.#folder, 'admin.kubeconfig');
  }

  /** Client with the permissions of an administrator. */
  get client(): Client {
    return (this.#client ??= createClient({
      kubeConfig: this.kubeconfig,
      userAgent: 'e2e',
      defaultFieldManager: 'e2e',
    }));
  }

  /** Starts the process with the state in its folder. */
  async serve(): Promise<void> {
    this.#program = Program.start(process.execPath, [
      'tools/devcluster/dist/main.mjs',
      `--port=${this.#port}`,
      `--data-dir=${join(this.#folder, 'data')}`,
      `--kubeconfig=${this.kubeconfig}`,
    ]);
    await this.#program.says('devcluster serves');
    await readFile(this.kubeconfig);
  }

  /** Kills the process with SIGKILL. */
  async kill(): Promise<void> {
    await this.#program?.destroy();
  }

  /** Returns all namespaces and all other objects that a run can leave, as `<kind> <namespace>/<name>`. */
  async everything(): Promise<string[]> {
    const lists = await Promise.all(kinds.map((kind) => this.client.list(kind)));
    const events = await this.client.list(Event);
    /* The cluster reports about its node whenever it starts. */
    const eventsOfRuns = events.items.filter(({ regarding }) => regarding?.kind !== 'Node');
    return [...lists.flatMap(({ items }) => items), ...eventsOfRuns]
      .map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`)
      .sort();
  }

  async close(): Promise<void> {
    await this.#client?.close();
    await this.kill();
  }
}
