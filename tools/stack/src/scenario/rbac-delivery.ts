import type { KubeObject } from '@interlock/api';
import { silentLog } from '@interlock/base';
import { ClusterRoleBinding } from '@interlock/kube';
import { parse } from 'yaml';
import { rbacFolder } from '../demo/rbac.js';
import { ensureNamespace } from '../fleet/install.js';
import { SimulatedFlux } from '../foreign/flux.js';
import { installForeignKinds } from '../foreign/install.js';
import { fluxKinds, type ForeignObject } from '../foreign/kinds.js';
import { revisionOf } from '../foreign/revisions.js';
import { readFiles } from '../repository/commit.js';
import type { Stack } from '../stack.js';
import { waitFor } from '../wait-for.js';
import type { Print } from './narrator.js';

const { GitRepository, Kustomization } = fluxKinds;
/** The simulated Flux controllers and their objects. */
export const deliveryKinds = [GitRepository, Kustomization];
const name = 'rbac';
const fieldManager = 'kustomize-controller';
/** Delivers a folder of the demo repository as Flux does: applies its manifests and prunes removed ones. */
export class RbacDelivery {
  readonly #flux: SimulatedFlux;
  readonly #key: { namespace: string; name: string };
  /** Labels that Flux adds to every object that the Kustomization applies. */
  readonly #labels: Record<string, string>;

  readonly #stack: Stack;
  readonly #print: Print;

  constructor(stack: Stack, print: Print) {
    this.#stack = stack;
    this.#print = print;

    const namespace = stack.cluster.namespaces.flux;
    this.#key = { namespace, name };
    this.#labels = {
      'kustomize.toolkit.fluxcd.io/name': name,
      'kustomize.toolkit.fluxcd.io/namespace': namespace,
    };
    this.#flux = new SimulatedFlux({
      client: stack.client,
      log: silentLog,
      kinds: deliveryKinds,
    });
  }

  async start(): Promise<void> {
    const { client, repository } = this.#stack;
    await installForeignKinds(client, deliveryKinds);
    await ensureNamespace(client, this.#key.namespace);
    const source = { url: repository.cloneUrl, ref: { branch: 'main' }, interval: '1m' };
    const applier = {
      path: `./${rbacFolder}`,
      prune: true,
      interval: '1m',
      sourceRef: { kind: GitRepository.kind, name },
    };
    await client.apply(GitRepository, { metadata: this.#key, spec: source }, { fieldManager: 'team' });
    await client.apply(Kustomization, { metadata: this.#key, spec: applier }, { fieldManager: 'team' });
    this.#flux.start();
  }

  stop(): Promise<void> {
    return this.#flux.stop();
  }

  /** Applies the current commit of `main` to the cluster. */
  async sync(signal: AbortSignal): Promise<void> {
    const { client, repository } = this.#stack;
    const commit = await repository.local.git(['rev-parse', 'refs/heads/main']);
    const revision = `main@sha1:${commit}`;
    this.#flux.setHead(repository.cloneUrl, revision);
    await waitFor(`Flux takes ${revision}`, async () => {
      signal.throwIfAborted();
      return revisionOf(await client.get<ForeignObject>(Kustomization, this.#key)) === revision;
    });
    const wanted = await this.#manifests(commit);
    const there = await this.bindings();
    const at = `${rbacFolder} at ${revision.slice(0, 17)}`;
    for (const manifest of wanted) {
      const metadata = { ...manifest.metadata, labels: this.#labels };
      await client.apply(ClusterRoleBinding, { ...manifest, metadata }, { fieldManager });
      if (!there.includes(metadata.name))
        this.#print(`  flux: applies ClusterRoleBinding ${metadata.name} from ${at}`);
    }
    for (const name of there) {
      if (wanted.some(({ metadata }) => metadata.name === name)) continue;
      await client.delete(ClusterRoleBinding, { name });
      this.#print(`  flux: prunes ClusterRoleBinding ${name}, which is not in ${at}`);
    }
  }

  /** Returns the names of the delivered bindings. */
  async bindings(): Promise<string[]> {
    const labelSelector = Object.entries(this.#labels)
      .map((label) => label.join('='))
      .join();
    const { items } = await this.#stack.client.list(ClusterRoleBinding, { labelSelector });
    return items.map(({ metadata }) => metadata.name);
  }

  async #manifests(commit: string): Promise<KubeObject[]> {
    const files = await readFiles(this.#stack.repository.local, commit);
    const read = (file: string): unknown => parse(files.get(`${rbacFolder}/${file}`) ?? '');
    const { resources } = read('kustomization.yaml') as { resources: string[] };
    return resources.map((file) => read(file) as KubeObject);
  }
}
