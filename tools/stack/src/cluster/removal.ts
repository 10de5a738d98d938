import { setTimeout as sleep } from 'node:timers/promises';
import { customKinds, isTyped, messageOf, type Kind, type KubeObject } from '@interlock/api';
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
  type Client,
} from '@interlock/kube';
import type { Definition } from '../fleet/definitions.js';
import { runNamespaces } from './ownership.js';
import { objectsOf } from './plan.js';

const timeoutMs = 180_000;
const pollMs = 250;

/** The objects that were deleted, and the problems with other objects. */
export interface Removal {
  /** `<kind> <name>` */
  removed: readonly string[];
  /** One sentence each. */
  problems: readonly string[];
}

const clusterScoped = customKinds.filter(({ namespaced }) => !namespaced);

/**
 * Deletes the objects of runs in an order in which no object blocks the deletion of another: first the webhooks, whose
 * app has ended, then the namespaces, the definitions, and finally the namespace that claims the cluster. Waits up to
 * three minutes until all objects are gone.
 *
 * @param selector label selector of the objects to delete
 */
export async function removeRuns(client: Client, selector: string): Promise<Removal> {
  return new Remover(client, selector, AbortSignal.timeout(timeoutMs)).remove();
}

/** Deletes only the webhook configurations, because every write that calls them fails without their app. */
export async function removeWebhooks(client: Client, selector: string): Promise<Removal> {
  return new Remover(client, selector, AbortSignal.timeout(timeoutMs)).removeWebhooks();
}

class Remover {
  readonly #removed: string[] = [];
  readonly #problems: string[] = [];

  readonly #client: Client;
  readonly #selector: string;
  readonly #deadline: AbortSignal;

  constructor(client: Client, selector: string, deadline: AbortSignal) {
    this.#client = client;
    this.#selector = selector;
    this.#deadline = deadline;
  }

  async removeWebhooks(): Promise<Removal> {
    await this.#removeAll(MutatingWebhookConfiguration);
    await this.#removeAll(ValidatingWebhookConfiguration);
    return { removed: this.#removed, problems: this.#problems };
  }

  async remove(): Promise<Removal> {
    await this.removeWebhooks();
    await this.#removeAll(ValidatingAdmissionPolicyBinding);
    await this.#removeAll(ValidatingAdmissionPolicy);
    await this.#removeAll(ClusterRoleBinding);
    await this.#removeNamespaces(({ metadata: { name } }) => name !== runNamespaces.system);
    for (const kind of clusterScoped) await this.#removeAll(kind, (objects) => this.#removeEvents(objects));
    await this.#removeDefinitions();
    await this.#removeAll(ClusterRole);
    if (this.#problems.length === 0) await this.#removeNamespaces(() => true);
    return { removed: this.#removed, problems: this.#problems };
  }

  /** Deletes the selected objects of a kind, and waits until they are gone. Adds a problem if that fails. */
  async #removeAll(kind: Kind, before?: (objects: readonly KubeObject[]) => Promise<void>): Promise<void> {
    await this.#attempt(`${kind.kind}s`, async () => {
      const objects = await this.#list(kind, this.#selector);
      await before?.(objects);
      await this.#removeEach(kind, objects);
    });
  }

  async #removeNamespaces(isMeant: (namespace: KubeObject) => boolean): Promise<void> {
    await this.#attempt('Namespaces', async () => {
      const namespaces = (await this.#list(Namespace, this.#selector)).filter(isMeant);
      await this.#removeEach(Namespace, namespaces, async () => {
        for (const { metadata } of namespaces) await this.#releaseObjects(metadata.name);
      });
    });
  }

  /* Deleting a definition also deletes the objects of other users, so it is kept if there are any. */
  async #removeDefinitions(): Promise<void> {
    await this.#attempt('CustomResourceDefinitions', async () => {
      const free: KubeObject[] = [];
      for (const object of await this.#list(CustomResourceDefinition, this.#selector)) {
        const [first] = await objectsOf(this.#client, object as unknown as Definition);
        if (first === undefined) free.push(object);
        else this.#problems.push(`${describe(object)} stays, because another user has created ${first}`);
      }
      await this.#removeEach(CustomResourceDefinition, free);
    });
  }

  async #removeEach(
    kind: Kind,
    objects: readonly KubeObject[],
    release: () => Promise<void> = () => Promise.resolve(),
  ): Promise<void> {
    for (const { metadata } of objects) {
      await ignoreMissing(
        this.#client.delete(kind, { name: metadata.name }, { ...uidOf(metadata), signal: this.#deadline }),
      );
    }
    for (let waiting = objects; waiting.length > 0;) {
      await release();
      const still = await this.#list(kind, this.#selector);
      const isThere = (object: KubeObject) =>
        still.some(({ metadata }) => metadata.uid === object.metadata.uid);
      this.#removed.push(...waiting.filter((object) => !isThere(object)).map(describe));
      waiting = waiting.filter(isThere);
      if (waiting.length > 0) await sleep(pollMs, undefined, { signal: this.#deadline });
    }
  }

  /* The finalizers belong to apps that have ended. What they would clean up is deleted with the forge of the run. */
  async #releaseObjects(namespace: string): Promise<void> {
    for (const kind of customKinds.filter(({ namespaced }) => namespaced)) {
      for (const { metadata } of await this.#list(kind, undefined, namespace)) {
        if (metadata.deletionTimestamp === undefined || (metadata.finalizers ?? []).length === 0) continue;
        const patch = { metadata: { ...uidOf(metadata), finalizers: null } };
        const key = { namespace, name: metadata.name };
        await ignoreMissing(
          this.#client.patch(kind, key, { type: 'merge', patch }, { signal: this.#deadline }),
        );
      }
    }
  }

  /* Events of cluster-scoped objects are in the namespace `default`. */
  async #removeEvents(objects: readonly KubeObject[]): Promise<void> {
    const uids = new Set(objects.map(({ metadata }) => metadata.uid));
    if (uids.size === 0) return;
    const { items } = await this.#client.list(Event, { namespace: 'default', signal: this.#deadline });
    for (const { metadata, regarding } of items) {
      if (!uids.has(regarding?.uid)) continue;
      await ignoreMissing(
        this.#client.delete(Event, { namespace: 'default', name: metadata.name }, { signal: this.#deadline }),
      );
    }
  }

  async #list(kind: Kind, labelSelector?: string, namespace?: string): Promise<KubeObject[]> {
    try {
      const { items } = await this.#client.list(kind, {
        labelSelector,
        namespace,
        signal: this.#deadline,
      });
      return items;
    } catch (error) {
      /* The kind is not served. */
      if (isTyped(error, 'NotFound')) return [];
      throw error;
    }
  }

  async #attempt(what: string, work: () => Promise<void>): Promise<void> {
    try {
      this.#deadline.throwIfAborted();
      await work();
    } catch (error) {
      const why = this.#deadline.aborted ? `it took longer than ${timeoutMs / 1000} s` : messageOf(error);
      this.#problems.push(`${what} of the run could not be deleted: ${why}${await this.#remaining()}`);
    }
  }

  /** Returns the reasons that the remaining namespaces report. */
  async #remaining(): Promise<string> {
    const { items } = await this.#client
      .list(Namespace, { labelSelector: this.#selector, timeoutMs: 2_000 })
      .catch(() => ({ items: [] }));
    const reasons = items.flatMap(({ metadata, status }) =>
      (status?.conditions ?? [])
        .filter((condition) => condition.status === 'True' && condition.message !== undefined)
        .map(({ message = '' }) => `; ${metadata.name}: ${message}`),
    );
    return reasons.join('');
  }
}

function describe({ kind, metadata }: KubeObject): string {
  return `${kind} ${metadata.name}`;
}

function uidOf({ uid }: KubeObject['metadata']): { uid?: string } {
  return uid === undefined ? {} : { uid };
}

async function ignoreMissing(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!isTyped(error, 'NotFound')) throw error;
  }
}
