import { isTyped, labels, type Kind, type KubeObject } from '@interlock/api';
import { semanticEqual } from '@interlock/base';
import { CustomResourceDefinition, type ApplyConfiguration, type Client } from '@interlock/kube';
import { installerOf, RefusedError, runOf, type Run } from './ownership.js';

/**
 * Returns a client that adds the label of a run to every cluster-scoped object that it creates, and refuses to write an
 * object that no run created. A CustomResourceDefinition of another user is used without changes if it contains
 * everything that the run requires.
 */
export function ownedClient(client: Client, run: Run): Client {
  const claims = new Claims(client, run);
  return {
    ...client,
    create: async (kind, object, options) => {
      if (kind.namespaced) return client.create(kind, object, options);
      return client.create(kind, claims.labelled(object as ApplyConfiguration), options);
    },
    apply: async (kind, object, options) => {
      if (kind.namespaced || options?.subresource !== undefined) return client.apply(kind, object, options);
      const foreign = await claims.check(kind, object);
      return foreign ?? client.apply(kind, claims.labelled(object), options);
    },
  };
}

class Claims {
  /** `<plural>.<group>/<name>` of objects that belong to the run. */
  readonly #own = new Set<string>();
  readonly #client: Client;
  readonly #run: Run;

  constructor(client: Client, run: Run) {
    this.#client = client;
    this.#run = run;
  }

  labelled(object: ApplyConfiguration): ApplyConfiguration {
    const { metadata } = object;
    const own = { ...(metadata['labels'] as object | undefined), [labels.demoRun]: this.#run.id };
    return { ...object, metadata: { ...metadata, labels: own } };
  }

  /** Returns an object of another user that can be used without changes. @throws RefusedError when it cannot be used */
  async check<T extends KubeObject>(kind: Kind<T>, object: ApplyConfiguration): Promise<T | undefined> {
    const { name } = object.metadata;
    const key = `${kind.plural}.${kind.group}/${name}`;
    if (this.#own.has(key)) return undefined;
    const existing = await findObject(this.#client, kind, name);
    if (existing !== undefined && runOf(existing) === undefined) {
      await requireUsable(this.#client, kind, existing, object);
      return existing;
    }
    this.#own.add(key);
    return undefined;
  }
}

/** Returns a cluster-scoped object, or undefined if it does not exist. */
export async function findObject<T extends KubeObject>(
  client: Client,
  kind: Kind<T>,
  name: string,
): Promise<T | undefined> {
  try {
    return await client.get(kind, { name });
  } catch (error) {
    if (isTyped(error, 'NotFound')) return undefined;
    throw error;
  }
}

/**
 * Checks that an object of another user can be used without changes. @throws RefusedError with its name, its installer,
 * and what to do
 */
export async function requireUsable(
  client: Client,
  kind: Kind,
  existing: KubeObject,
  object: ApplyConfiguration,
): Promise<void> {
  const { name } = existing.metadata;
  const installed = `${kind.kind} ${name} exists and was not created by npm start, but by ${installerOf(existing)}`;
  if (kind.kind !== CustomResourceDefinition.kind) {
    throw new RefusedError(`${installed}: delete it if nothing needs it, or use another cluster`);
  }
  const merged = await client.apply<CustomResourceDefinition>(CustomResourceDefinition, object, {
    fieldManager: 'stack',
    dryRun: true,
  });
  if (semanticEqual(merged.spec, (existing as CustomResourceDefinition).spec)) return;
  throw new RefusedError(
    `${installed}, with a schema that differs from this version: update it to this version, or use another cluster`,
  );
}
