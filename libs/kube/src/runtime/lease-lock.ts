import { isTyped } from '@interlock/api';
import { canonicalJson, type Clock } from '@interlock/base';
import { Lease } from '../client/kinds.js';
import type { CallOptions, Client } from '../client/types.js';
import { microTime } from './micro-time.js';

interface LeaseLockOptions {
  client: Pick<Client, 'get' | 'create' | 'update'>;
  clock: Clock;
  leaseName: string;
  namespace: string;
  identity: string;
  leaseDurationMs: number;
  onSlowPath?: () => void;
}

type LeaseSpec = NonNullable<Lease['spec']>;

/**
 * One Lease and the state that this process has observed. Each change is conditional on the last observed
 * resourceVersion.
 */
export class LeaseLock {
  readonly #options: LeaseLockOptions;
  #lease: Lease | undefined;
  #seen = '';
  #seenAt = -Infinity;
  #renewedAt = -Infinity;
  /** Whether the answer to the last write was not received. */
  #isUncertain = false;

  constructor(options: LeaseLockOptions) {
    this.#options = options;
  }

  /** The last observed holder of the lease; empty if there is none. */
  get holder(): string {
    return this.#lease?.spec?.holderIdentity ?? '';
  }

  /**
   * When the last successful renewal was sent, by the local monotonic clock. Other processes count from a later time.
   */
  get renewedAt(): number {
    return this.#renewedAt;
  }

  /**
   * Tries to acquire or renew the lease. Returns whether this process holds it now; `false` means that another process
   * does.
   *
   * @throws ApiError when that could not be determined; `Conflict` when another process was faster
   */
  async tryAcquireOrRenew(call: CallOptions): Promise<boolean> {
    if (this.#isMine() && this.#lease !== undefined) {
      try {
        await this.#write(this.#lease, call);
        return true;
      } catch (error) {
        if (!isTyped(error, 'Conflict', 'NotFound')) throw error;
        this.#options.onSlowPath?.();
      }
    }
    const current = await this.#read(call);
    if (current !== undefined && !this.#isMine() && !this.#isFree()) return false;
    await this.#write(current, call);
    return true;
  }

  /** Releases the lease if this process still holds it, so that the next process need not wait for its expiry. */
  async release(call: CallOptions): Promise<void> {
    if (this.#isUncertain) await this.#read(call);
    try {
      await this.#free(call);
    } catch (error) {
      if (!isTyped(error, 'Conflict')) throw error;
      await this.#read(call); // A renewal whose answer was not awaited may have succeeded.
      await this.#free(call);
    }
  }

  async #free(call: CallOptions): Promise<void> {
    if (this.#lease === undefined || !this.#isMine()) return;
    const now = microTime(this.#options.clock.now());
    const { leaseTransitions = 0 } = this.#lease.spec ?? {};
    const spec: LeaseSpec = {
      holderIdentity: '',
      leaseDurationSeconds: 1,
      acquireTime: now,
      renewTime: now,
      leaseTransitions,
    };
    this.#observe(await this.#options.client.update(Lease, { ...this.#lease, spec }, call));
  }

  async #read(call: CallOptions): Promise<Lease | undefined> {
    const { client, leaseName: name, namespace } = this.#options;
    try {
      const lease = await client.get(Lease, { name, namespace }, call);
      this.#observe(lease);
      return lease;
    } catch (error) {
      if (!isTyped(error, 'NotFound')) throw error;
      this.#lease = undefined;
      return undefined;
    }
  }

  async #write(current: Lease | undefined, call: CallOptions): Promise<void> {
    const { client, clock, leaseName: name, namespace } = this.#options;
    const sentAt = clock.monotonic();
    const spec = this.#nextSpec(current?.spec, clock.now());
    this.#isUncertain = true;
    const written =
      current === undefined
        ? await client.create(
            Lease,
            { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name, namespace }, spec },
            call,
          )
        : await client.update(Lease, { ...current, spec }, call);
    this.#isUncertain = false;
    this.#observe(written);
    this.#renewedAt = sentAt;
  }

  #nextSpec(before: LeaseSpec | undefined, now: number): LeaseSpec {
    const mine = before?.holderIdentity === this.#options.identity;
    const transitions = before?.leaseTransitions ?? 0;
    return {
      holderIdentity: this.#options.identity,
      leaseDurationSeconds: Math.max(1, Math.ceil(this.#options.leaseDurationMs / 1000)),
      acquireTime: (mine ? before.acquireTime : undefined) ?? microTime(now),
      renewTime: microTime(now),
      leaseTransitions: before === undefined || mine ? transitions : transitions + 1,
    };
  }

  /**
   * Records an observed Lease. Leases of other processes are timed from when a change was observed, by the local
   * clock.
   */
  #observe(lease: Lease): void {
    const seen = canonicalJson(lease.spec);
    if (seen !== this.#seen) {
      this.#seen = seen;
      this.#seenAt = this.#options.clock.monotonic();
    }
    this.#lease = lease;
  }

  #isMine(): boolean {
    return this.holder === this.#options.identity;
  }

  #isFree(): boolean {
    const { leaseDurationSeconds } = this.#lease?.spec ?? {};
    const durationMs =
      leaseDurationSeconds === undefined ? this.#options.leaseDurationMs : leaseDurationSeconds * 1000;
    return this.holder === '' || this.#options.clock.monotonic() >= this.#seenAt + durationMs;
  }
}
