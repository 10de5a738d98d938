import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeObject } from '@interlock/api';
import { startDevCluster, type DevCluster } from '@interlock/devcluster';
import { createClient, CustomResourceDefinition, Namespace, type Client } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { parse, parseAllDocuments } from 'yaml';
import { run } from '../../src/run.js';
import { targetKind } from '../../src/gate/target-kinds.js';

const crds = new URL('../../../../charts/interlock-crds/crds/', import.meta.url);
const clusterScoped = new Set(['EventResponse', 'SecurityEvent']);
const freeForm = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

export interface Result {
  code: number;
  stdout: string;
  stderr: string;
}

interface CallOptions {
  /** Name under which the program is called; defaults to `interlock`. */
  as?: string;
  now?: string;
  env?: Record<string, string>;
  signal?: AbortSignal;
  outputEnd?: AbortSignal;
  onOutput?: (text: string) => void;
  onError?: (text: string) => void;
}

/** The embedded cluster with the kinds of gating and responding, and the program as users run it. */
export class Fixture {
  readonly client: Client;
  readonly kubeconfig: string;
  readonly folder: string;
  readonly #cluster: DevCluster;

  private constructor(cluster: DevCluster, folder: string) {
    this.#cluster = cluster;
    this.folder = folder;
    this.kubeconfig = join(folder, 'kubeconfig');
    cluster.writeKubeconfig(this.kubeconfig);
    this.client = createClient({
      kubeConfig: this.kubeconfig,
      userAgent: 'test',
      defaultFieldManager: 'test',
    });
  }

  static async start(): Promise<Fixture> {
    const fixture = new Fixture(await startDevCluster(), await mkdtemp(join(tmpdir(), 'cli-test-')));
    const files = (await readdir(crds)).filter((name) => /^(gating|promoter|security)\./.test(name));
    for (const file of files)
      await fixture.#define(parse(await readFile(new URL(file, crds), 'utf8')) as KubeObject);
    await fixture.#define(definitionOf());
    for (const name of ['flux-system', 'ugallu-system'])
      await fixture.client.create(Namespace, { metadata: { name } });
    return fixture;
  }

  async #define(definition: KubeObject): Promise<void> {
    await this.client.apply(
      CustomResourceDefinition,
      { ...definition, metadata: { ...definition.metadata } },
      { fieldManager: 'test' },
    );
    await eventually(async () => {
      const { status } = await this.client.get(CustomResourceDefinition, { name: definition.metadata.name });
      if (!status?.conditions?.some(({ type, status: is }) => type === 'Established' && is === 'True'))
        throw new Error(`${definition.metadata.name} is not established`);
    });
  }

  /** The faults of the API server. */
  get faults(): DevCluster['faults'] {
    return this.#cluster.faults;
  }

  /** Runs the program in this process. */
  async cli(args: readonly string[], options: CallOptions = {}): Promise<Result> {
    const result = { stdout: '', stderr: '' };
    const now = Date.parse(options.now ?? new Date().toISOString());
    const code = await run(`/usr/local/bin/${options.as ?? 'interlock'}`, args, {
      stdout: (text) => {
        result.stdout += text;
        options.onOutput?.(text);
      },
      stderr: (text) => {
        result.stderr += text;
        options.onError?.(text);
      },
      env: options.env ?? {},
      now: () => now,
      signal: options.signal ?? new AbortController().signal,
      outputEnd: options.outputEnd,
    });
    return { code, ...result };
  }

  /** Runs `interlock gate …` with this cluster. */
  gate(args: readonly string[], options: CallOptions = {}): Promise<Result> {
    return this.cli(['gate', ...args, '--kubeconfig', this.kubeconfig], options);
  }

  /** Runs `interlock respond …` with this cluster. */
  respond(args: readonly string[], options: CallOptions = {}): Promise<Result> {
    return this.cli(['respond', ...args, '--kubeconfig', this.kubeconfig], options);
  }

  /** Applies manifests, including their status. */
  async apply(text: string, namespace = 'flux-system'): Promise<void> {
    for (const document of parseAllDocuments(text)) {
      const { status, ...object } = document.toJS() as KubeObject & { status?: object };
      const [group = '', version = ''] = object.apiVersion.split('/');
      const plural = pluralOf(object.kind);
      const namespaced = !clusterScoped.has(object.kind);
      const kind = { group, version, kind: object.kind, plural, namespaced };
      const metadata = { ...(namespaced && { namespace }), ...object.metadata };
      const body = { ...object, metadata };
      await this.client.apply(kind, body, { fieldManager: 'test' });
      if (status !== undefined)
        await this.client.apply(
          kind,
          { metadata: { name: metadata.name, ...(namespaced && { namespace: metadata.namespace }) }, status },
          { fieldManager: 'test', subresource: 'status' },
        );
    }
  }

  async close(): Promise<void> {
    await this.client.close();
    await this.#cluster.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

function pluralOf(kind: string): string {
  const lower = kind.toLowerCase();
  if (lower === 'configmap') return 'configmaps';
  return lower.endsWith('y') ? `${lower.slice(0, -1)}ies` : `${lower}s`;
}

function definitionOf(): KubeObject & { spec: object } {
  const { group, version, kind, plural } = targetKind('GitRepository');
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: freeForm, status: freeForm } } },
        },
      ],
    },
  };
}
