import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Core } from '../domain/core.js';
import type { ForgeEvent } from '../domain/events.js';
import type { Hook, Installation, Repository } from '../domain/model.js';
import { Refusal, found } from '../domain/refusal.js';
import type { Delivery } from './delivery.js';
import type { HookProtocols } from './hook-protocol.js';
import { isLoopback } from './loopback.js';
import { Sender } from './sender.js';

interface HooksOptions {
  core: Core;
  protocols: HookProtocols;
  /** Delays in milliseconds before each further attempt; their number limits the attempts. */
  retryDelaysMs: readonly number[];
}

const maxDeliveries = 1_000;
const maxPending = 1_000;

interface Line {
  tail: Promise<void>;
  pending: number;
  deliveries: Delivery[];
}

/** Webhooks: every event is delivered to each subscribed hook in order, and recorded in a list. */
export class Hooks {
  readonly #sender: Sender;
  readonly #lines = new Map<number, Line>();
  readonly #closing = new AbortController();

  constructor(readonly options: HooksOptions) {
    this.#sender = new Sender(options.core.clock, options.protocols);
    options.core.listen((event) => this.#dispatch(event));
  }

  /** @throws Refusal `HookUrlRefused` for a URL that is not on the loopback interface. */
  create(wanted: Omit<Hook, 'id' | 'createdAt' | 'updatedAt'>): Hook {
    if (!isLoopback(wanted.url)) throw new Refusal({ code: 'HookUrlRefused' });
    const { core } = this.options;
    const at = core.now();
    return { id: core.nextId(), ...wanted, createdAt: at, updatedAt: at };
  }

  /** Returns the newest deliveries of a hook, newest first, at most 1,000. */
  deliveries(hook: Hook): Delivery[] {
    return [...(this.#lines.get(hook.id)?.deliveries ?? [])].reverse();
  }

  /** Sends a delivery once more, as a new delivery with the same GUID. @throws Refusal `NotFound`. */
  redeliver(hook: Hook, deliveryId: number): Delivery {
    const old = found(this.deliveries(hook).find(({ id }) => id === deliveryId));
    const { core } = this.options;
    const again: Delivery = { ...old, id: core.nextId(), redelivery: true, state: 'pending', attempts: [] };
    this.#enqueue(hook, again);
    return again;
  }

  /** Resolves when no delivery is waiting. */
  async idle(): Promise<void> {
    while ([...this.#lines.values()].some(({ pending }) => pending > 0)) {
      await Promise.all([...this.#lines.values()].map(({ tail }) => tail));
    }
  }

  /** Stops sending, and discards waiting deliveries. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([...this.#lines.values()].map(({ tail }) => tail));
    await this.#sender.close();
  }

  #dispatch(event: ForgeEvent): void {
    for (const { hook, installation } of this.#targets(event.repository)) {
      if (!hook.active || (event.type === 'ping' && event.hook.id !== hook.id)) continue;
      for (const { event: name, action, payload } of this.options.protocols[hook.protocol].render(
        event,
        installation,
      )) {
        if (name !== 'ping' && !hook.events.includes(name) && !hook.events.includes('*')) continue;
        this.#enqueue(hook, {
          id: this.options.core.nextId(),
          guid: randomUUID(),
          hookId: hook.id,
          event: name,
          action,
          payload,
          repositoryId: event.repository.id,
          installation:
            installation === undefined ? null : { id: installation.id, appId: installation.appId },
          redelivery: false,
          state: 'pending',
          attempts: [],
        });
      }
    }
  }

  /** Returns the hooks of the repository, and the hooks of the Apps that are installed on it. */
  #targets(repository: Repository): { hook: Hook; installation?: Installation }[] {
    const { apps, installations } = this.options.core.state;
    const ofApps = installations.flatMap((installation) => {
      const selected = installation.repositoryIds?.includes(repository.id) ?? true;
      const hook = apps.find(({ id }) => id === installation.appId)?.hook;
      const covered = selected && installation.accountId === repository.ownerId;
      return covered && hook !== undefined ? [{ hook, installation }] : [];
    });
    return [...repository.hooks.map((hook) => ({ hook })), ...ofApps];
  }

  #enqueue(hook: Hook, delivery: Delivery): void {
    const line = this.#lines.get(hook.id) ?? { tail: Promise.resolve(), pending: 0, deliveries: [] };
    this.#lines.set(hook.id, line);
    line.deliveries.push(delivery);
    if (line.deliveries.length > maxDeliveries) line.deliveries.shift();
    if (line.pending >= maxPending) {
      delivery.state = 'failed';
      return;
    }
    line.pending++;
    line.tail = line.tail.then(() => this.#deliver(hook, delivery)).finally(() => line.pending--);
  }

  /**
   * Repeats a delivery until it succeeds or the attempts are exhausted. The next delivery of the hook waits meanwhile.
   */
  async #deliver(hook: Hook, delivery: Delivery): Promise<void> {
    const { signal } = this.#closing;
    const delays = [...this.options.retryDelaysMs];
    while (!signal.aborted) {
      const attempt = await this.#sender.send(hook, delivery, signal);
      delivery.attempts.push(attempt);
      if (attempt.failure === undefined) {
        delivery.state = 'delivered';
        return;
      }
      const pause = delays.shift();
      if (pause === undefined) break;
      await delay(pause, undefined, { signal }).catch(() => undefined);
    }
    delivery.state = 'failed';
  }
}
