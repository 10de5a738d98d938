import { FakeClock, recordLog } from '@interlock/base/testing';
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TypedError } from '@interlock/api';
import { LeaseServer } from '../testing/lease-server.js';
import { LeaderElector, type LeaderElectorOptions } from './leader-election.js';

/** `deaf`: requests arrive, but their answers do not. */
type Link = 'up' | 'away' | 'silent' | 'deaf';

/** A process that competes for the lease repeatedly, each time under a new name, over a link that a test breaks. */
class Contender {
  link: Link = 'up';
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;
  #elector: LeaderElector | undefined;

  constructor(
    readonly name: string,
    readonly server: LeaseServer,
    readonly clock: FakeClock,
    random: () => number,
  ) {
    this.#ended = this.#run(random);
  }

  get leads(): boolean {
    return this.#elector?.leads === true;
  }

  end(): Promise<void> {
    this.#stop.abort();
    return this.#ended;
  }

  async #run(random: () => number): Promise<void> {
    for (let life = 0; !this.#stop.signal.aborted; life++) {
      const identity = `${this.name}-${life}`;
      const { clock } = this;
      const common = { leaseName: 'web', namespace: 'ns', log: recordLog(), random };
      this.#elector = new LeaderElector({ ...common, identity, clock, client: this.#client() });
      await this.#elector.run(this.#stop.signal);
    }
  }

  #client(): LeaderElectorOptions['client'] {
    const { server } = this;
    return {
      get: (kind, key, options) => this.#over(options?.signal, () => server.get(kind, key)),
      create: (kind, object, options) => this.#over(options?.signal, () => server.create(kind, object)),
      update: (kind, object, options) => this.#over(options?.signal, () => server.update(kind, object)),
    };
  }

  async #over<R>(signal: AbortSignal | undefined, call: () => Promise<R>): Promise<R> {
    if (this.link === 'away') throw new TypedError('Transient', 'no connection');
    if (this.link === 'deaf') await call();
    if (this.link === 'up') return call();
    return new Promise((_, reject) => {
      signal?.addEventListener('abort', () => reject(new TypedError('Transient', 'no answer')));
    });
  }
}

const link = fc.constantFrom<Link>('up', 'up', 'away', 'silent', 'deaf');
/** Milliseconds by which a clock is set forward, or back. */
const step = fc.oneof(fc.constant(0), fc.integer({ min: -7_200_000, max: 7_200_000 }));
const spell = fc.record({
  seconds: fc.integer({ min: 1, max: 25 }),
  a: link,
  b: link,
  stepA: step,
  stepB: step,
});
const weather = fc.array(spell, { maxLength: 12 });

it('never has two leaders, whatever happens to connections and clocks, and has a leader again after recovery', async () => {
  await fc.assert(
    fc.asyncProperty(
      weather,
      fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })),
      async (spells, numbers) => {
        const random = (): number => numbers.next().value ?? 0;
        const server = new LeaseServer();
        const a = new Contender('a', server, new FakeClock(0), random);
        const b = new Contender('b', server, new FakeClock(3_600_000), random);
        const pass = async (seconds: number): Promise<void> => {
          for (let step = 0; step < seconds * 4; step++) {
            await Promise.all([a.clock.advance(250), b.clock.advance(250)]);
            expect([a.leads, b.leads]).not.toEqual([true, true]);
          }
        };
        for (const { seconds, ...now } of spells) {
          a.link = now.a;
          b.link = now.b;
          a.clock.set(now.stepA);
          b.clock.set(now.stepB);
          await pass(seconds);
        }
        a.link = 'up';
        b.link = 'up';
        await pass(40);
        expect([a.leads, b.leads].sort()).toEqual([false, true]);
        await Promise.all([a.end(), b.end()]);
        expect([a.clock.pendingTimers, b.clock.pendingTimers]).toEqual([0, 0]);
      },
    ),
    { numRuns: 40 },
  );
});
