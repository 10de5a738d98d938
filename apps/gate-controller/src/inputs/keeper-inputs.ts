import { keyOf, keyString, parseKey, type GateKeeper, type KubeObject, type ObjectKey } from '@interlock/api';
import { isProblem, Problem } from '@interlock/base';
import { CalendarReader, type KeeperInput } from '@interlock/gating';
import type { Cache, Runnable } from '@interlock/kube';
import { KeeperCalendars } from './calendar-events.js';
import { CalendarFeeds, type FeedDependencies } from './calendar-feeds.js';
import { ObjectBudget } from './object-budget.js';
import type { Reading } from './reading.js';
import { resourceId, resourceRefOf, type ResourceRef } from './resource-ref.js';
import { ResourceWatch, type ResourceDependencies } from './resource-watch.js';
import { SharedRuns } from './shared-runs.js';
import { WatchSlots } from './watch-slots.js';

type KeeperInputDependencies = Omit<ResourceDependencies, 'budget' | 'slots'> & FeedDependencies;

/** Reads the objects that keepers refer to. Every replica reads them, so that a new leader does not have to wait. */
export class KeeperInputs implements Runnable {
  readonly name = 'inputs of gate keepers';
  readonly needsLeaderElection = false;
  readonly #resources = new SharedRuns<ResourceWatch>();
  readonly #feeds: CalendarFeeds;
  readonly #reader = new CalendarReader();
  readonly #calendars: KeeperCalendars;
  readonly #handlers: ((keeper: ObjectKey) => void)[] = [];
  readonly #keepers: Cache<GateKeeper>;

  readonly #dependencies: KeeperInputDependencies & ResourceDependencies;

  constructor(keepers: Cache<GateKeeper>, dependencies: KeeperInputDependencies) {
    this.#keepers = keepers;
    this.#dependencies = { ...dependencies, budget: new ObjectBudget(), slots: new WatchSlots() };
    this.#feeds = new CalendarFeeds(dependencies, (owners) => this.#notify(owners));
    this.#calendars = new KeeperCalendars(this.#reader, dependencies.clock, (keeper) =>
      this.#notify([keeper]),
    );
    keepers.subscribe((event) => this.#follow(event.object, event.type === 'deleted'));
  }

  /** Subscribes to changes of the objects that keepers refer to. It must be called before the manager runs. */
  onChange(handler: (keeper: ObjectKey) => void): void {
    this.#handlers.push(handler);
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#resources.run(signal), this.#feeds.run(signal)]);
    await this.#reader.close();
  }

  /**
   * Returns a keeper with the readings of the objects that it refers to; undefined for the seconds until they have been
   * read.
   */
  of(keeper: GateKeeper): KeeperInput | undefined {
    const { calendar, expression, type } = keeper.spec;
    if (type === 'calendar' && calendar !== undefined) {
      const reading = this.#calendarOf(keeper);
      if (reading === undefined) return undefined;
      if (isProblem(reading)) return { keeper, calendar: prefixed('the calendar cannot be read', reading) };
      const { timeZone } = calendar;
      const events = this.#calendars.of(keyString(keyOf(keeper)), { text: reading, timeZone });
      return events && { keeper, calendar: events };
    }
    if (type === 'expression' && expression !== undefined) {
      const over = this.#resourceOf(keeper);
      return over && { keeper, over };
    }
    return { keeper };
  }

  /**
   * Returns when the calendar of a keeper was read, in milliseconds since the epoch; undefined if it is not read by
   * URL.
   */
  calendarReadAt(keeper: GateKeeper): number | undefined {
    return this.#feeds.readAt(keyString(keyOf(keeper)));
  }

  /** Returns the text of the calendar of a keeper; undefined while it is not known. */
  calendarText(keeper: GateKeeper): string | undefined {
    if (keeper.spec.type !== 'calendar') return undefined;
    const reading = this.#calendarOf(keeper);
    return isProblem(reading) ? undefined : reading;
  }

  #calendarOf(keeper: GateKeeper): Reading<string> {
    const { url, configMapRef: ref } = keeper.spec.calendar ?? {};
    if (url !== undefined) return this.#feeds.readingOf(keyString(keyOf(keeper)));
    const reading = this.#resourceOf(keeper);
    if (isProblem(reading)) return prefixed('spec.calendar.configMapRef.name', reading);
    if (reading === undefined) return undefined;
    const { key = 'calendar.ics', name = '' } = ref ?? {};
    const data = 'data' in reading ? reading.data : undefined;
    const value =
      typeof data === 'object' && data !== null ? new Map(Object.entries(data)).get(key) : undefined;
    if (typeof value === 'string') return value;
    const message = `spec.calendar.configMapRef.key: ConfigMap ${name} has no key ${key}; add it`;
    return new Problem('NotFound', message);
  }

  #resourceOf(keeper: GateKeeper): Reading<KubeObject> {
    const ref = resourceRefOf(keeper);
    return ref && this.#resources.get(resourceId(ref))?.reading;
  }

  #follow(keeper: GateKeeper, gone: boolean): void {
    const owner = keyString(keyOf(keeper));
    const ref = gone ? undefined : resourceRefOf(keeper);
    const url = gone ? undefined : urlOf(keeper);
    if (ref === undefined) this.#resources.leave(owner);
    else this.#resources.follow(owner, resourceId(ref), () => this.#watchOf(ref));
    this.#feeds.follow(owner, url);
    this.#calendars.retain(owner, gone ? undefined : this.calendarText(keeper));
  }

  #watchOf(ref: ResourceRef): ResourceWatch {
    const notify = (): void => this.#notify(this.#resources.ownersOf(resourceId(ref)));
    return new ResourceWatch(ref, this.#dependencies, notify);
  }

  #notify(owners: readonly string[]): void {
    for (const owner of owners) {
      const key = parseKey(owner);
      const keeper = this.#keepers.get(key);
      /* A gate that does not exist never asks for the next text. */
      this.#calendars.retain(owner, keeper && this.calendarText(keeper));
      for (const handler of this.#handlers) handler(key);
    }
  }
}

function prefixed(prefix: string, { reason, message, transient }: Problem): Problem {
  return new Problem(reason, `${prefix}: ${message}`, { transient });
}

function urlOf({ spec }: GateKeeper): string | undefined {
  return spec.type === 'calendar' ? spec.calendar?.url : undefined;
}
