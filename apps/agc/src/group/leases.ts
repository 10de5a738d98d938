import { isTyped, messageOf, type RunnerGroup } from '@interlock/api';
import { delay, onAbort, type Logger } from '@interlock/base';
import {
  childName,
  Lease,
  LeaderElector,
  type LeaderElectionOptions,
  type Cache,
  type Manager,
  type Runnable,
} from '@interlock/kube';
import type { LedGroups } from './led-groups.js';
import type { GroupWork } from './group-work.js';

/** The timing of a group's Lease, in milliseconds. */
export type LeaseTiming = Required<
  Pick<LeaderElectionOptions, 'leaseDurationMs' | 'renewDeadlineMs' | 'retryPeriodMs'>
>;

/**
 * A replica that fails is replaced within 10 s: the lease expires after 6 s, and the others retry after at most 3.3 s (client-go's
 * jitter of the retry period). A replica must live that long to take over, so longer times would leave groups without a leader while
 * replicas are killed one after the other. A lease that is lost too early costs little, because locks are still renewed.
 */
const defaultTiming: LeaseTiming = { leaseDurationMs: 6_000, renewDeadlineMs: 4_000, retryPeriodMs: 1_500 };
/** How long a replica delays its candidacy for a group, for each group that it leads and at most: so replicas share the groups. */
const candidacyDelayMs = { perGroup: 400, most: 2_000 };

interface GroupLeasesParts {
  manager: Manager;
  log: Logger;
  random: () => number;
  namespace: string;
  /** The unique identity of this replica. */
  identity: string;
  groups: Cache<RunnerGroup>;
  led: LedGroups;
  /** Defaults to a timing with which another replica takes over within 10 s. */
  leaseTiming?: LeaseTiming | undefined;
  /** Creates the work of a group, which begins when {@link GroupWork.run} is called. */
  createWork(name: string, predecessor: GroupWork | undefined): GroupWork;
}

/** Acquires the Lease of each RunnerGroup, and runs the work of the group while it holds the Lease. */
export class GroupLeases implements Runnable {
  readonly name = 'group-leases';
  readonly #parts: GroupLeasesParts;
  readonly #timing: LeaseTiming;
  readonly #loops = new Map<string, { stop: AbortController; done: Promise<void> }>();
  readonly #removals = new Set<Promise<void>>();

  constructor(parts: GroupLeasesParts) {
    this.#parts = parts;
    this.#timing = parts.leaseTiming ?? defaultTiming;
  }

  async run(signal: AbortSignal): Promise<void> {
    const unsubscribe = this.#parts.groups.subscribe(({ type, object }) => {
      const { name } = object.metadata;
      if (type === 'deleted') this.#loops.get(name)?.stop.abort('gone');
      else if (!signal.aborted) this.#start(name, signal);
    });
    await new Promise<void>((resolve) => void onAbort(signal, resolve));
    unsubscribe();
    for (const { stop } of this.#loops.values()) stop.abort('stop');
    await Promise.all([...this.#loops.values()].map(({ done }) => done));
    await Promise.all(this.#removals);
  }

  /** Starts the loop of a group, which ends when the group is deleted or `ending` aborts. */
  #start(name: string, ending: AbortSignal): void {
    if (this.#loops.has(name)) return;
    const stop = new AbortController();
    const done = this.#loop(name, stop.signal).finally(() => {
      this.#loops.delete(name);
      if (stop.signal.reason !== 'gone' || ending.aborted) return;
      /* The group was recreated while the loop of the earlier one ended. */
      if (this.#exists(name)) return this.#start(name, ending);
      const removal = this.#removeLease(name, ending).finally(() => this.#removals.delete(removal));
      this.#removals.add(removal);
    });
    this.#loops.set(name, { stop, done });
  }

  async #loop(name: string, signal: AbortSignal): Promise<void> {
    const { manager, led, log } = this.#parts;
    while (!signal.aborted) {
      const { perGroup, most } = candidacyDelayMs;
      await delay(manager.clock, Math.min(most, led.list().length * perGroup), signal);
      try {
        await this.#lead(name, signal);
      } catch (error) {
        log.error(
          { runnerGroup: name, error: messageOf(error) },
          'the work of a RunnerGroup failed; restarting it',
        );
        await delay(manager.clock, this.#timing.retryPeriodMs, signal);
      }
    }
    this.#giveUp(name);
  }

  /** Waits for the lease, works while it is held, and releases it when the work is handed over. */
  async #lead(name: string, signal: AbortSignal): Promise<void> {
    const { manager, log, random, led, createWork, identity, namespace } = this.#parts;
    const election = new AbortController();
    const lost = new AbortController();
    let working = Promise.resolve();
    const endElection = onAbort(
      signal,
      () => void working.catch(() => undefined).then(() => election.abort()),
    );
    const elector = new LeaderElector({
      client: manager.client,
      clock: manager.clock,
      log: log.child({ runnerGroup: name }),
      random,
      identity,
      namespace,
      leaseName: this.#lease(name).name,
      ...this.#timing,
      onAcquired: () => {
        const work = createWork(name, led.takePredecessor(name));
        led.add(name, work, () => elector.leads);
        working = work.run(signal, lost.signal).finally(() => {
          led.remove(name);
          if (lost.signal.aborted && !signal.aborted) led.addPredecessor(name, work);
          /* Work that ends by itself has failed: the next leader starts over. */
          if (!signal.aborted) election.abort();
        });
        /* Awaited when the election has ended. */
        working.catch(() => undefined);
      },
      onLost: () => lost.abort(),
      onNewLeader: (holder) => {
        if (holder !== identity) this.#giveUp(name);
      },
    });
    try {
      await elector.run(election.signal);
      lost.abort();
      await working;
    } finally {
      endElection();
    }
  }

  /** Stops renewing the locks of a group, which another replica leads. */
  #giveUp(name: string): void {
    this.#parts.led.takePredecessor(name)?.abandon();
  }

  /**
   * Deletes the Lease of a group that was deleted, in the state in which no replica holds it: a new group of the same name may already
   * be led. A replica that hands over deletes its Lease itself, and one that was killed does not renew it.
   */
  async #removeLease(name: string, ending: AbortSignal): Promise<void> {
    const { manager, identity, log } = this.#parts;
    const { client, clock } = manager;
    const key = this.#lease(name);
    try {
      const { metadata, spec } = await client.get(Lease, key);
      const holder = spec?.holderIdentity ?? '';
      if (holder !== '' && holder !== identity) await delay(clock, this.#timing.leaseDurationMs, ending);
      if (ending.aborted || this.#exists(name)) return;
      await client.delete(Lease, key, { uid: metadata.uid, resourceVersion: metadata.resourceVersion });
    } catch (error) {
      if (isTyped(error, 'NotFound', 'Conflict')) return;
      const fields = { runnerGroup: name, lease: key.name, error: messageOf(error) };
      log.warn(fields, 'could not delete the Lease of a deleted RunnerGroup; delete the Lease');
    }
  }

  #lease(name: string): { name: string; namespace: string } {
    return { name: childName('runnergroup', name), namespace: this.#parts.namespace };
  }

  #exists(name: string): boolean {
    return this.#parts.groups.get({ name, namespace: this.#parts.namespace }) !== undefined;
  }
}
