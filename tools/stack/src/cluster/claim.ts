import { setTimeout as sleep } from 'node:timers/promises';
import { annotations, isTyped, labels } from '@interlock/api';
import { isAlreadyExists, Namespace, type Client } from '@interlock/kube';
import { findObject } from './owned-client.js';
import { installerOf, RefusedError, runNamespaces, runOf, type Run } from './ownership.js';
import { isEnded } from './processes.js';

const name = runNamespaces.system;
const renewMs = 5_000;
/** Time after which a run that has not renewed its claim is considered ended. */
const expiryMs = 30_000;
const pollMs = 500;
/** Timeout for the removal of another run. */
const removalMs = 180_000;

/** The objects that an earlier run left in the cluster. */
interface Remains {
  /** The user of the run. */
  user: string;
  /** Whether the run was started with `--keep`. */
  kept: boolean;
}

/**
 * The claim of a run on a cluster: a namespace whose metadata names the run, and which the run renews. Only one claim
 * exists at a time, because the apps act on the resources of the whole cluster.
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

  /** Claims a cluster that no run uses. @throws RefusedError when another run claimed it first */
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

  /** Renews the claim until {@link stop} is called. Calls `onLost` when the claim no longer exists. */
  keepRenewed(onLost: (error: Error) => void): void {
    this.#renewed = this.#renew(onLost);
  }

  /** Stops the renewal. */
  async stop(): Promise<void> {
    this.#renewing.abort();
    await this.#renewed;
  }

  /** Marks the objects of the run as kept. */
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
 * Returns the objects that an earlier run left in the cluster, if any. Waits for a run that is deleting its objects. A
 * killed run is detected by its claim, which it no longer renews. @throws RefusedError when another run is active, or
 * when another user owns the namespace of the claim
 */
export async function remainsOf(
  client: Client,
  print: (line: string) => void,
  signal: AbortSignal,
): Promise<Remains | undefined> {
  const first = await read(client);
  if (first === undefined) return undefined;
  if (first.metadata.deletionTimestamp !== undefined) {
    print(`Waits until namespace ${name} of an earlier run is deleted.`);
    return awaitRemoval(client, print, signal);
  }
  const claim = valuesOf(first);
  const remains = { user: claim.user, kept: claim.state === 'kept' };
  if (remains.kept || isEnded(claim.process)) return remains;
  print(`Namespace ${name} belongs to a run of ${claim.user}: checking whether that run is still active.`);
  const deadline = Date.now() + expiryMs;
  while (Date.now() < deadline) {
    await sleep(pollMs, undefined, { signal });
    const now = await read(client);
    if (now === undefined) return undefined;
    if (now.metadata.deletionTimestamp !== undefined) return awaitRemoval(client, print, signal);
    if (valuesOf(now).renewedAt === claim.renewedAt) continue;
    throw new RefusedError(
      `a run of ${claim.user} is in progress in this cluster (namespace ${name}, process ${claim.process}), and the apps ` +
        'of two runs would act on the same resources: wait until it has ended, or use another cluster',
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
  throw new Error(`the namespace ${name} of an earlier run still exists after ${removalMs / 1000} s`);
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
