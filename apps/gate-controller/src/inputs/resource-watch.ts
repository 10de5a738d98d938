import { isTyped, messageOf, type Kind, type KubeObject, type ObjectKey } from '@interlock/api';
import { delay, isProblem, Problem, type Clock, type Logger, type OrProblem } from '@interlock/base';
import { createCache, type Cache, type Client } from '@interlock/kube';
import { maxCharacters, type ObjectBudget } from './object-budget.js';
import type { Reading } from './reading.js';
import type { ResourceRef } from './resource-ref.js';
import { isSecret } from './secrets.js';
import type { WatchSlots } from './watch-slots.js';

export interface ResourceDependencies {
  client: Client;
  clock: Clock;
  log: Logger;
  /** Uniform in [0, 1). */
  random: () => number;
  budget: ObjectBudget;
  /** Without a slot, an object is polled. */
  slots: Pick<WatchSlots, 'take' | 'release'>;
  /**
   * Milliseconds between two checks, which detect missing permissions and kinds that a watch does not report. Default:
   * 30,000.
   */
  checkIntervalMs?: number | undefined;
}

const callTimeoutMs = 10_000;
/** How long the last state is used while the API server is unreachable; in milliseconds. */
const trustMs = 5 * 60_000;

interface Running {
  cache: Cache<KubeObject>;
  stop(): Promise<void>;
}

/** Follows one object by a watch for its name alone, and reports clearly why its state is not known. */
export class ResourceWatch {
  #reading: Reading<KubeObject>;
  /** Monotonic time of the last check. */
  #checkedAt = -Infinity;
  #running: Running | undefined;
  /** What the cache has of objects for which there was no room. */
  readonly #emptied = new WeakSet<KubeObject>();

  readonly #ref: ResourceRef;
  readonly #dependencies: ResourceDependencies;
  readonly #changed: () => void;

  /** @param changed called when `reading` has changed */
  constructor(ref: ResourceRef, dependencies: ResourceDependencies, changed: () => void) {
    this.#ref = ref;
    this.#dependencies = dependencies;
    this.#changed = changed;
  }

  get reading(): Reading<KubeObject> {
    return this.#reading;
  }

  /** Follows the object until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, checkIntervalMs = 30_000 } = this.#dependencies;
    while (!signal.aborted) {
      await this.#check(signal);
      await delay(clock, checkIntervalMs, signal);
    }
    await this.#stop();
    this.#release();
  }

  async #check(signal: AbortSignal): Promise<void> {
    const { client, clock } = this.#dependencies;
    let kind: Kind | undefined;
    if (isSecret(this.#ref)) {
      return this.#fail('a GateKeeper cannot read Secrets; copy the required values into a ConfigMap');
    }
    try {
      const { apiVersion } = this.#ref;
      kind = await client.resolveKind(apiVersion, this.#ref.kind, { signal, timeoutMs: callTimeoutMs });
      if (kind === undefined)
        return await this.#fail(`the API server does not serve ${this.#kindName}; install it`);
      const object = await client.get(kind, this.#key(kind), { signal, timeoutMs: callTimeoutMs });
      this.#checkedAt = clock.monotonic();
      this.#watch(kind);
      if (this.#running?.cache.hasSynced !== true || this.#isRefused(object))
        this.#become(this.#bounded(object));
    } catch (error) {
      if (signal.aborted) return;
      if (isTyped(error, 'NotFound') && kind !== undefined) {
        this.#checkedAt = clock.monotonic();
        this.#watch(kind);
        if (this.#running?.cache.hasSynced !== true) this.#become(this.#missing());
      } else if (isTyped(error, 'Invalid') && kind === undefined) {
        await this.#fail(`spec.expression.over.${error.message}`);
      } else if (isTyped(error, 'Unauthorized')) {
        await this.#fail(
          `the gate-controller may not read ${this.#kindName} ${this.#ref.name}; grant it get, list and watch (value readResources of its chart): ${error.message}`,
        );
      } else if (clock.monotonic() - this.#checkedAt > trustMs) {
        await this.#fail(`${this.#kindName} ${this.#ref.name} cannot be read: ${messageOf(error)}`);
      }
    }
  }

  #watch(kind: Kind): void {
    if (this.#running !== undefined || !this.#dependencies.slots.take(this.#ref.namespace, this)) return;
    const key = this.#key(kind);
    const { namespace } = key;
    const scope = {
      fieldSelector: `metadata.name=${key.name}`,
      namespace,
      transform: (object: KubeObject) => this.#bounded(object),
    };
    const { client, clock, log, random } = this.#dependencies;
    const cache = createCache(client, kind, scope, { clock, log, random });
    const abort = new AbortController();
    const update = (): void => {
      if (abort.signal.aborted || !cache.hasSynced) return;
      this.#become(cache.get(key) ?? this.#missing());
    };
    cache.subscribe(update);
    const ended = cache.run(abort.signal);
    const synced = cache.waitForSync(abort.signal).then(update, () => undefined);
    this.#running = {
      cache,
      async stop() {
        abort.abort();
        await Promise.all([ended, synced]);
      },
    };
  }

  async #stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    await running?.stop();
    this.#dependencies.slots.release(this.#ref.namespace, this);
  }

  async #fail(message: string): Promise<void> {
    await this.#stop();
    this.#become(new Problem('NotReadable', message));
  }

  #become(seen: OrProblem<KubeObject>): void {
    const reading = !isProblem(seen) && this.#emptied.has(seen) ? tooMuch : seen;
    if (isProblem(reading)) this.#release();
    const before = this.#reading;
    this.#reading = reading;
    if (!same(before, reading)) this.#changed();
  }

  /** Returns what is kept of an object: only its identity if the objects of the namespace have no room for it. */
  #bounded(object: KubeObject): KubeObject {
    const { apiVersion, kind, metadata } = object;
    const { managedFields: _, ...kept } = metadata;
    const bounded = { ...object, metadata: kept };
    if (this.#dependencies.budget.take(this.#ref.namespace, this, bounded)) return bounded;
    const identity = { ...kept, annotations: {}, labels: {}, ownerReferences: [], finalizers: [] };
    const emptied = { apiVersion, kind, metadata: identity };
    this.#emptied.add(emptied);
    return emptied;
  }

  /** Returns whether the cache has no more than the identity of an object: it does not find out when there is room. */
  #isRefused(object: KubeObject): boolean {
    return this.#reading === tooMuch && same(this.#running?.cache.get(object.metadata), object);
  }

  #release(): void {
    this.#dependencies.budget.release(this.#ref.namespace, this);
  }

  #missing(): Problem {
    return new Problem('NotFound', `${this.#kindName} ${this.#ref.name} does not exist; create it`);
  }

  get #kindName(): string {
    return `${this.#ref.kind} (${this.#ref.apiVersion})`;
  }

  #key(kind: Kind): ObjectKey {
    const { namespace, name } = this.#ref;
    return kind.namespaced ? { namespace, name } : { name };
  }
}

const tooMuch = new Problem(
  'LimitExceeded',
  `the objects that the GateKeepers of the namespace name have more than ${maxCharacters / 1024 ** 2} MiB together; name fewer or smaller objects`,
  { transient: false },
);

/** Returns whether two readings are the same, by the version of the object. */
function same(a: Reading<KubeObject>, b: Reading<KubeObject>): boolean {
  if (isProblem(a) || isProblem(b)) return isProblem(a) && isProblem(b) && a.message === b.message;
  if (a === undefined || b === undefined) return a === b;
  return a.metadata.uid === b.metadata.uid && a.metadata.resourceVersion === b.metadata.resourceVersion;
}
