/** A version of an object in an event. */
export interface ObjectVersion {
  /** `namespace/name`. */
  object: string;
  /** Number of writes of the object, which the writer stores in the object itself. */
  count: number;
  resourceVersion: string;
}

/** An event that does not follow the previous events, or a missing event. */
export interface Violation {
  object: string;
  problem: 'duplicated' | 'missed' | 'reordered' | 'unknown';
  expected: string;
  received: string;
}

/**
 * Checks the events of one watch: each write of each object has to arrive once, in the order of the writes, with an
 * increasing resourceVersion.
 */
export class EventSequence {
  readonly #last = new Map<string, Omit<ObjectVersion, 'object'>>();

  /**
   * @param objects `namespace/name` of each object that the watch selects. None has been written since its creation.
   */
  constructor(objects: Iterable<string>) {
    for (const object of objects) this.#last.set(object, { count: 0, resourceVersion: '0' });
  }

  /**
   * Checks the next event. Returns the problem with it, if any. Later events are compared with the newest received
   * event.
   */
  take(version: ObjectVersion): Violation | undefined {
    const { object, count, resourceVersion } = version;
    const last = this.#last.get(object);
    const received = describe(version);
    if (last === undefined) return { object, problem: 'unknown', expected: 'no event', received };
    const expected = `count ${last.count + 1} after resourceVersion ${last.resourceVersion}`;
    const grows = Number(resourceVersion) > Number(last.resourceVersion);
    if (count > last.count) this.#last.set(object, { count, resourceVersion });
    if (count > last.count + 1) return { object, problem: 'missed', expected, received };
    if (count === last.count) return { object, problem: 'duplicated', expected, received };
    if (count < last.count || !grows) return { object, problem: 'reordered', expected, received };
    return undefined;
  }

  /**
   * Returns the missing events after the last write.
   *
   * @param written returns the number of writes of an object
   */
  missing(written: (object: string) => number): Violation[] {
    return [...this.#last].flatMap(([object, last]) => {
      const count = written(object);
      if (count <= last.count) return [];
      const received = describe({ object, ...last });
      return [{ object, problem: 'missed' as const, expected: `count ${count} at last`, received }];
    });
  }
}

/** Returns a violation as a sentence. */
export function textOfViolation({ object, problem, expected, received }: Violation): string {
  return `an event of ${object} is ${problem}: expected ${expected}, received ${received}`;
}

function describe({ count, resourceVersion }: ObjectVersion): string {
  return `count ${count} at resourceVersion ${resourceVersion}`;
}
