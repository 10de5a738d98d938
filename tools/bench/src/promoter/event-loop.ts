import { setPriority } from 'node:os';
import { join } from 'node:path';
import type { BenchmarkContext, Measurement } from '../benchmark.js';
import { median, quantile } from '../statistics.js';
import { createHydrator, promote, type Hydrator } from './hydrator.js';
import { Inspector } from '../inspector.js';
import { Promotions } from './promotions.js';
import { Fixture } from './fixture.js';

const promotions = 40;
const warmUps = 8;
const teamCount = 8;
const environment = 'dev';
/** The memory of the promoter with several thousand repositories. */
const rssBytes = 1024 ** 3;
const tickMs = 1;
/**
 * Priority of the cluster, the forge and the hydrators, which share the processors with the promoter only in this
 * benchmark.
 */
const backgroundPriority = 10;

/**
 * Measures the delay of timers in a promoter of 1 GiB from each push until its merge. Starting a process from Node.js
 * copies the page tables, so each git process of a large promoter could block its event loop. Permanently lowers the
 * priority of this process, so it has to be the last measurement.
 */
export async function measureEventLoop({ say, signal }: BenchmarkContext): Promise<Measurement[]> {
  const fixture = await Fixture.start({ env: { NODE_OPTIONS: '--inspect=127.0.0.1:0' } });
  setPriority(backgroundPriority);
  const inspector = await Inspector.connect(join(fixture.folder, 'promoter/log'));
  try {
    const noted = new Promotions(fixture.platform.forge);
    const commits = Math.ceil((warmUps + promotions) / teamCount);
    const teams: Hydrator[] = [];
    while (teams.length < teamCount)
      teams.push(
        await createHydrator(fixture, { name: `team-${teams.length}`, environments: [environment], commits }),
      );
    await fixture.settled(signal);
    say('promoter: delays of the event loop at 1 GiB');
    const { rss } = await grow(inspector);
    await inspector.evaluate(startDelays);
    for (let turn = 0; turn < warmUps + promotions; turn++) {
      const team = teams[turn % teamCount];
      if (team === undefined) continue;
      if (turn === warmUps) await inspector.evaluate('void (delays.values = [])');
      await inspector.evaluate('delays.enable()');
      await promote(fixture, noted, team, environment, signal);
      await inspector.evaluate('delays.disable()');
      await fixture.settled(signal);
    }
    const delays = (await inspector.evaluate('delays.values')) as number[];
    const what = `delay of the event loop during promotions, at ${Math.round(rss / 1024 ** 2)} MiB RSS`;
    return [
      { metric: `${what}, median`, value: median(delays), unit: 'ms' },
      { metric: `${what}, p99`, value: quantile(delays, 0.99), unit: 'ms' },
      { metric: `${what}, most`, value: Math.max(...delays), unit: 'ms' },
    ];
  } finally {
    inspector.close();
    await fixture.close();
  }
}

/**
 * Creates `delays`, which records the delay of each timer tick in milliseconds while it is enabled. The histogram of
 * `monitorEventLoopDelay` would also count each pause between two promotions as one delay.
 */
const startDelays = `void (globalThis.delays = {
  values: [],
  enable() {
    let before = performance.now();
    this.timer = setInterval(() => {
      const now = performance.now();
      this.values.push(now - before - ${tickMs});
      before = now;
    }, ${tickMs});
  },
  disable() {
    clearInterval(this.timer);
  },
})`;

/** Allocates memory outside of the heap, like git objects. */
async function grow(inspector: Inspector): Promise<{ rss: number }> {
  const { rss } = await inspector.memory();
  const bytes = Math.max(0, rssBytes - rss);
  await inspector.evaluate(`void (globalThis.ballast = Buffer.alloc(${bytes}, 1))`);
  return inspector.memory();
}
