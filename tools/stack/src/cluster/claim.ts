import { setTimeout as sleep } from 'node:timers/promises';
import { annotations, isTyped, labels } from '@interlock/api';
import { isAlreadyExists, Namespace, type Client } from '@interlock/kube';
import { findObject } from './owned-client.js';
import { installerOf, RefusedError, runNamespaces, runOf, type Run } from './ownership.js';
import { isEnded } from './processes.js';

const name = runNamespaces.system;
const renewMs = 5_000;
/** A run that has not renewed its claim for so long has ended. */
const expiryMs = 30_000;
const pollMs = 500;
/** For how long the removal of another run is waited for. */
const removalMs = 180_000;

/** What a run has left, or undefined when the cluster is free. */
interface Remains {
  /** Who ran it. */
  user: string;
  /** Whether it was asked to keep its objects. */
  kept: boolean;
}

/**
 * The claim of a run on a cluster: a namespace with the run in its metadata, which the run renews. There is one at a time,
 * because the apps work on the resources of the whole cluster.
 */
export class Claim {
  readonly #renewing = new AbortController();
  #renewed: Promise<void> | undefined;

  readonly #client: Client;
  readonly #run: Run;
  readonly #uid: string | undefined;

  private constructor(client: Client, run: Run, uid: string | undefined) {
    this.#client = client;
    this.#run = run;
    this.#uid = uid;
  }

  /**
   * Claims a cluster that is free.
   * @throws RefusedError when another run was faster
   */
  static async take(client: Client, run: Run): Promise<Claim> {
    try {
      const { metadata } = await client.create(Namespace, {
        metadata: { name, labels: { [labels.demoRun]: run.id }, annotations: claimOf(run, 'running') },
      });
      return new Claim(client, run, metadata.uid);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      throw new RefusedError(
        'another run of npm start has just claimed this cluster: wait until it has ended',
        {
          cause: error,
        },
      );
    }
  }

  /** Renews the claim until {@link stop}; `onLost` is called when it is gone. */
  keepRenewed(onLost: (error: Error) => void): void {
    this.#renewed = this.#renew(onLost);
  }

  /** Ends the renewal. */
  async stop(): Promise<void> {
    this.#renewing.abort();
    await this.#renewed;
  }

  /** Marks what the run created as kept. */
  async keep(): Promise<void> {
    await this.stop();
    await this.#write('kept');
  }

  async #renew(onLost: (error: Error) => void): Promise<void> {
    const { signal } = this.#renewing;
    for (;;) {
      await sleep(renewMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        await this.#write('running');
      } catch (error) {
        if (!isTyped(error, 'NotFound', 'Conflict', 'Invalid')) continue;
        onLost(new Error(`the namespace ${name}, by which this run claims the cluster, was deleted`));
        return;
      }
    }
  }

  async #write(state: 'running' | 'kept'): Promise<void> {
    const metadata = { uid: this.#uid, annotations: claimOf(this.#run, state) };
    await this.#client.patch(Namespace, { name }, { type: 'merge', patch: { metadata } });
  }
}

function claimOf(run: Run, state: 'running' | 'kept'): Record<string, string> {
  return {
    [annotations.demoUser]: run.user,
    [annotations.demoProcess]: run.process,
    [annotations.demoRenewedAt]: new Date().toISOString(),
    [annotations.demoState]: state,
  };
}

/**
 * Returns what a run that has ended left in the cluster, if there is something. A run that is removing what it created is
 * waited for, and one that was killed is recognized by the claim that it does not renew.
 * @throws RefusedError when another run is under way, or the namespace of the claim is another user's
 */
export async function remainsOf(
  client: Client,
  print: (line: string) => void,
  signal: AbortSignal,
): Promise<Remains | undefined> {
  const first = await read(client);
  if (first === undefined) return undefined;
  if (first.metadata.deletionTimestamp !== undefined) {
    print(`Waits until namespace ${name} of an earlier run is gone.`);
    return awaitRemoval(client, print, signal);
  }
  const claim = valuesOf(first);
  const remains = { user: claim.user, kept: claim.state === 'kept' };
  if (remains.kept || isEnded(claim.process)) return remains;
  print(`Namespace ${name} is of a run of ${claim.user}: waits whether it is still under way.`);
  const deadline = Date.now() + expiryMs;
  while (Date.now() < deadline) {
    await sleep(pollMs, undefined, { signal });
    const now = await read(client);
    if (now === undefined) return undefined;
    if (now.metadata.deletionTimestamp !== undefined) return awaitRemoval(client, print, signal);
    if (valuesOf(now).renewedAt === claim.renewedAt) continue;
    throw new RefusedError(
      `a run of ${claim.user} is under way in this cluster (namespace ${name}, process ${claim.process}), and the apps ` +
        'of two runs would work on the same resources: wait until it has ended, or use another cluster',
    );
  }
  return remains;
}

async function awaitRemoval(
  client: Client,
  print: (line: string) => void,
  signal: AbortSignal,
): Promise<Remains | undefined> {
  const deadline = Date.now() + removalMs;
  while (Date.now() < deadline) {
    await sleep(pollMs, undefined, { signal });
    const now = await read(client);
    if (now === undefined) return undefined;
    if (now.metadata.deletionTimestamp === undefined) return remainsOf(client, print, signal);
    if (isEnded(valuesOf(now).process)) return { user: valuesOf(now).user, kept: false };
  }
  throw new Error(`the namespace ${name} of an earlier run is still there after ${removalMs / 1000} s`);
}

async function read(client: Client): Promise<Namespace | undefined> {
  const namespace = await findObject(client, Namespace, name);
  if (namespace === undefined || runOf(namespace) !== undefined) return namespace;
  throw new RefusedError(
    `Namespace ${name} exists and was not created by npm start, but by ${installerOf(namespace)}: ` +
      'delete it if nothing needs it, or use another cluster',
  );
}

function valuesOf({ metadata }: Namespace) {
  const written = metadata.annotations ?? {};
  return {
    user: written[annotations.demoUser] ?? 'another user',
    process: written[annotations.demoProcess] ?? '',
    renewedAt: written[annotations.demoRenewedAt] ?? '',
    state: written[annotations.demoState] ?? '',
  };
}
