import { aborted, silentLog } from '@interlock/base';
import { FakeClock } from '@interlock/base/testing';
import { describe, expect, it } from '@jest/globals';
import { TypedError, type KubeObject, type ObjectKey } from '@interlock/api';
import fc from 'fast-check';
import { setImmediate } from 'node:timers/promises';
import { createOptionalCache, type OptionalCache } from '../cache/optional.js';
import { sharedCaches } from '../cache/shared-caches.js';
import { ConfigMap, Secret } from '../client/kinds.js';
import { HistoryApi } from '../testing/history-api.js';
import { Widget } from '../testing/widget.js';
import { Controller } from './controller.js';
import { noMetrics } from './metrics-types.js';

/** The label by which an object refers to others, and its index. */
const reference = 'of';
const namespace = 'ns';
const names = ['a', 'b', 'c'];
/** Number of further objects of each kind: none, or more than two slices of a list have. */
const fillers = fc.record({
  ConfigMap: fc.constantFrom(0, 1_100),
  Secret: fc.constantFrom(0, 1_100),
  Widget: fc.constantFrom(0, 1_100),
});
const checkIntervalMs = 30_000;

type Labels = Record<string, string>;
const inTest = (name: string) => ({ namespace, name });
const referring = ({ metadata: { labels } }: KubeObject): string[] => [labels?.[reference] ?? ''];
const describeObject = ({ metadata: { name, uid, resourceVersion } }: KubeObject): string =>
  `${name} ${uid} ${resourceVersion}`;

/**
 * A process whose controllers reconcile ConfigMaps and Widgets. A Secret refers to objects of both kinds by its label. Widgets need
 * not be installed.
 */
class Process {
  /** What the last successful reconcile of each object saw. */
  readonly seen = new Map<string, string>();
  readonly secrets;
  readonly widgets: OptionalCache<KubeObject>;
  readonly configMaps;
  readonly #leads = new AbortController();
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;
  #calls = 0;

  constructor(api: HistoryApi, clock: FakeClock, random: () => number) {
    const dependencies = { clock, random, log: silentLog };
    const caches = sharedCaches(api.client, dependencies);
    this.configMaps = caches.get(ConfigMap);
    this.secrets = caches.get(Secret);
    this.widgets = createOptionalCache(api.client, Widget, { checkIntervalMs }, dependencies);
    this.secrets.addIndex(reference, referring);
    this.widgets.addIndex(reference, referring);
    const watches = [{ kind: Secret, map: (secret: KubeObject) => referring(secret).map(inTest) }];
    const deps = { ...dependencies, cache: caches.get, metrics: noMetrics, newId: () => 'id' };
    const options = { watches, concurrency: 16 };
    const controllers = [
      { name: 'config-map', for: { kind: ConfigMap }, cache: this.configMaps },
      { name: 'widget', for: { kind: Widget, optional: this.widgets }, cache: this.widgets },
    ].map(
      ({ cache, ...own }) =>
        new Controller<KubeObject>(
          { ...options, ...own, reconcile: (key) => this.#reconcile(own.name, cache.get(key), key) },
          deps,
        ),
    );
    const { signal } = this.#stop;
    const lead = async (): Promise<void> => {
      await Promise.race([caches.waitForSync(signal).catch(() => undefined), aborted(signal)]);
      await Promise.race([aborted(this.#leads.signal), aborted(signal)]);
      if (signal.aborted) return;
      await Promise.all(controllers.map((one) => one.run(signal, signal)));
    };
    this.#ended = Promise.all([caches.run(signal), this.widgets.run(signal), lead()]).then(() => undefined);
  }

  lead(): void {
    this.#leads.abort();
  }

  end(): Promise<void> {
    this.#stop.abort();
    return this.#ended;
  }

  async #reconcile(
    controller: string,
    object: KubeObject | undefined,
    { name }: ObjectKey,
  ): Promise<undefined> {
    const state = stateOf(object, this.secrets.byIndex(reference, name));
    await setImmediate();
    if (names.includes(name) && ++this.#calls % 5 === 0) throw new TypedError('Transient', 'failed');
    this.seen.set(`${controller} ${name}`, state);
  }
}

/** Returns what a reconcile of an object has to see at the end. */
function stateOf(object: KubeObject | undefined, secrets: readonly KubeObject[]): string {
  if (object === undefined) return 'gone';
  return [object, ...secrets].map(describeObject).sort().join(', ');
}

const kinds = { ConfigMap, Secret, Widget };
const kind = fc.constantFrom(ConfigMap, Secret, Widget);
const name = fc.constantFrom(...names);

/** What happens to the API or to the process. */
const happening = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('set' as const), kind, name, of: name }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('remove' as const), kind, name }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('recreate' as const), kind, name, of: name }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('turns' as const), count: fc.nat({ max: 12 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('advance' as const), ms: fc.nat({ max: 40_000 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('close' as const, 'lose' as const), kind }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom('gap' as const, 'forget' as const, 'lead' as const) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('restart' as const, 'bookmark' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('available' as const), is: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('served' as const), is: fc.boolean() }) },
);
type Happening = typeof happening extends fc.Arbitrary<infer H> ? H : never;

class Fixture {
  readonly api = new HistoryApi();
  readonly clock = new FakeClock();
  #process: Process;

  constructor(
    counts: Record<keyof typeof kinds, number>,
    readonly random: () => number,
  ) {
    for (const one of [ConfigMap, Secret, Widget]) {
      for (let index = 0; index < counts[one.kind as keyof typeof kinds]; index++)
        this.#set(one, `filler-${index}`, {});
      /* In the last slice. */
      for (const name of names) this.#set(one, name, { [reference]: name });
    }
    this.#process = new Process(this.api, this.clock, random);
  }

  async apply(event: Happening): Promise<void> {
    const { api } = this;
    switch (event.do) {
      case 'set':
        return this.#set(event.kind, event.name, { [reference]: event.of });
      case 'remove':
        return api.remove(event.kind, inTest(event.name));
      case 'recreate':
        api.remove(event.kind, inTest(event.name));
        return this.#set(event.kind, event.name, { [reference]: event.of });
      case 'turns':
        for (let turn = 0; turn < event.count; turn++) await setImmediate();
        return;
      case 'advance':
        return this.clock.advance(event.ms);
      case 'close':
        return api.cut(event.kind, 'closed');
      case 'lose':
        return api.cut(event.kind, 'lost');
      case 'gap':
        for (const one of Object.values(kinds)) api.cut(one, 'closed');
        return api.forget();
      case 'forget':
        return api.forget();
      case 'bookmark':
        return api.bookmark();
      case 'lead':
        return this.#process.lead();
      case 'restart':
        await this.#process.end();
        this.#process = new Process(api, this.clock, this.random);
        return;
      case 'available':
        api.isAvailable = event.is;
        return;
      case 'served':
        return api.serve(Widget, event.is);
    }
  }

  /** Ends all faults, waits for what falls due, and returns what differs from the API. */
  async differences(): Promise<unknown[]> {
    const { api, clock } = this;
    api.isAvailable = true;
    this.#process.lead();
    for (let minute = 0; minute < 5; minute++) {
      await clock.advance(60_000);
      for (let turn = 0; turn < 150; turn++) await setImmediate();
      /* Without bookmarks, the silence would cause a list, which repairs what a watch has lost. */
      api.bookmark();
    }
    const found = [...this.#unseen(), ...this.#wrongIndexes()];
    await this.#process.end();
    return [...found.slice(0, 3), ...(clock.pendingTimers === 0 ? [] : [`${clock.pendingTimers} timers`])];
  }

  #unseen(): unknown[] {
    const { api } = this;
    const { seen } = this.#process;
    const secrets = api.objects(Secret);
    return [ConfigMap, Widget].flatMap((one) => {
      const controller = one === Widget ? 'widget' : 'config-map';
      const present = new Map(api.objects(one).map((object) => [object.metadata.name, object]));
      const known = [...seen.keys()]
        .filter((key) => key.startsWith(controller))
        .map((key) => key.split(' ')[1]!);
      return [...new Set([...present.keys(), ...known])].flatMap((each) => {
        const related = secrets.filter((secret) => referring(secret).includes(each));
        const expected = stateOf(present.get(each), related);
        const actual = seen.get(`${controller} ${each}`);
        return actual === expected ? [] : [{ controller, each, actual, expected }];
      });
    });
  }

  #wrongIndexes(): unknown[] {
    const { secrets, widgets, configMaps } = this.#process;
    const text = (objects: readonly KubeObject[]) => objects.map(describeObject).sort().join();
    const pairs = [
      [configMaps.list(), this.api.objects(ConfigMap)] as const,
      ...[...names, ''].flatMap((value) =>
        [[secrets, Secret] as const, [widgets, Widget] as const].map(
          ([cache, one]) =>
            [
              cache.byIndex(reference, value),
              this.api.objects(one).filter((object) => referring(object).includes(value)),
            ] as const,
        ),
      ),
    ];
    return pairs.flatMap(([actual, expected]) =>
      text(actual) === text(expected) ? [] : [{ actual: text(actual), expected: text(expected) }],
    );
  }

  #set(one: (typeof kinds)[keyof typeof kinds], name: string, labels: Labels): void {
    this.api.set(one, inTest(name), labels);
  }
}

describe('controllers over caches', () => {
  it('have reconciled each object in its last state, whatever happened to lists and watches', async () => {
    const property = fc.asyncProperty(
      fc.array(happening, { minLength: 5, maxLength: 40 }),
      fillers,
      fc.infiniteStream(fc.double({ min: 0, max: 0.99, noNaN: true })),
      async (events, counts, randoms) => {
        const fixture = new Fixture(counts, () => randoms.next().value!);
        for (const event of events) await fixture.apply(event);
        expect(await fixture.differences()).toEqual([]);
      },
    );
    await fc.assert(property, { numRuns: 20 });
  });
});
