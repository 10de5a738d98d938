import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '@interlock/base';
import type { Cluster } from '../../api/cluster.js';
import { objectsAt, textAt, type KubeObject } from '../../object.js';
import { keyOf } from '../../store/entry.js';
import type { PodAddresses } from '../environment/downward.js';
import type { ReferredObjects } from '../environment/environment.js';
import { writeAtomically } from '../volumes/atomic-folder.js';
import { hasFiles, volumeFiles } from '../volumes/volume-files.js';

/** Fraction of a token's lifetime after which it is renewed; it is renewed after a day at the latest. */
const tokenLife = 0.8;
const longestTokenMs = 24 * 3600 * 1000;

/** Returns the objects of a pod's namespace. */
export function objectsOf({ store }: Cluster, pod: KubeObject): ReferredObjects {
  const { namespace } = pod.metadata;
  const find = (collection: string) => (name: string) =>
    store.get(collection, keyOf(namespace, name))?.object;
  return {
    configMap: find('configmaps'),
    secret: find('secrets'),
    services: () => store.entries('services', namespace).map(({ object }) => object),
  };
}

/** The private folder of a pod: its volumes, its logs and its temporary files. */
export class PodFolder {
  readonly addresses: PodAddresses;
  readonly #cluster: Cluster;
  readonly #clock: Clock;
  readonly #path: string;
  readonly #tokens = new Map<string, { token: string; staleAt: number }>();
  #timer: { cancel(): void } | undefined;
  #version = 0;

  constructor(cluster: Cluster, clock: Clock, path: string, addresses: PodAddresses) {
    this.#cluster = cluster;
    this.#clock = clock;
    this.#path = path;
    this.addresses = addresses;
    for (const folder of [this.volumes, this.logs, this.temporary]) mkdirSync(folder, { recursive: true });
  }

  get volumes(): string {
    return join(this.#path, 'volumes');
  }

  get logs(): string {
    return join(this.#path, 'logs');
  }

  get temporary(): string {
    return join(this.#path, 'tmp');
  }

  /** Returns the path of the root folder of a container. */
  root(container: string): string {
    return join(this.#path, 'roots', container);
  }

  /**
   * Returns the folder for the private files of a container: copies of the files of its image, and its termination
   * message.
   */
  own(container: string): string {
    return join(this.#path, 'own', container);
  }

  /** Returns the path of the kubeconfig of a container. */
  kubeconfig(container: string): string {
    return join(this.#path, `${container}.kubeconfig`);
  }

  /** Writes the current content of the volumes, except unchanged files. Throws StartProblem. */
  write(pod: KubeObject): void {
    const { podIp, hostIp } = this.addresses;
    const objects = objectsOf(this.#cluster, pod);
    const token = (audience: string, seconds: number): string => this.#token(pod, audience, seconds);
    for (const volume of objectsAt(pod, 'spec', 'volumes')) {
      const folder = join(this.volumes, textAt(volume, 'name'));
      if (hasFiles(volume)) {
        const files = volumeFiles(pod, volume, { objects, podIp, hostIp, token });
        writeAtomically(folder, files, String((this.#version += 1)));
      } else mkdirSync(folder, { recursive: true, mode: 0o777 });
    }
    this.#refreshTokens(pod);
  }

  remove(): void {
    this.#timer?.cancel();
    /* Remaining processes of a container may still write. */
    rmSync(this.#path, { recursive: true, force: true, maxRetries: 5 });
  }

  #token(pod: KubeObject, audience: string, seconds: number): string {
    const key = `${audience} ${seconds}`;
    const now = this.#clock.now();
    const known = this.#tokens.get(key);
    if (known !== undefined && known.staleAt > now) return known.token;
    const { namespace = '', name, uid = '' } = pod.metadata;
    const account = textAt(pod, 'spec', 'serviceAccountName') || 'default';
    const found = this.#cluster.store.get('serviceaccounts', keyOf(namespace, account))?.object;
    if (found === undefined) throw new Error(`failed to fetch token: serviceaccounts "${account}" not found`);
    const subject = {
      namespace,
      serviceAccount: { name: account, uid: found.metadata.uid ?? '' },
      boundTo: { kind: 'Pod' as const, name, uid },
    };
    const audiences = audience === '' ? this.#cluster.audiences : [audience];
    const { token } = this.#cluster.tokens.issue(subject, audiences, seconds);
    this.#tokens.set(key, { token, staleAt: now + Math.min(seconds * 1000 * tokenLife, longestTokenMs) });
    return token;
  }

  /** Schedules the next write of the volumes for the time when the first token becomes stale. */
  #refreshTokens(pod: KubeObject): void {
    this.#timer?.cancel();
    if (this.#tokens.size === 0) return;
    const staleAt = Math.min(...[...this.#tokens.values()].map((token) => token.staleAt));
    const refresh = (): void => {
      try {
        this.write(pod);
      } catch {
        /* An object is missing now; its return writes the volumes again. */
      }
    };
    this.#timer = this.#clock.setTimeout(refresh, Math.max(1_000, staleAt - this.#clock.now()));
  }
}
