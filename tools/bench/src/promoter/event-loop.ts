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
/** As much as the promoter holds for some thousand repositories. */
const rssBytes = 1024 ** 3;
const tickMs = 1;
/** Of the cluster, the forge and the hydrators, which share the processors with the promoter here and nowhere else. */
const backgroundPriority = 10;

/**
 * Measures how late the timers of a promoter of 1 GiB are from each push until its merge. What Node.js starts is a copy of its
 * own page tables, so that each git process of a large promoter could stop everything else. Lowers the priority of this process
 * for good, so it has to be the last measurement.
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
 * Makes `delays`, which records while it is enabled how many milliseconds each tick of a timer comes late. The histogram of
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

/** Fills memory outside of the heap, as objects of git do. */
async function grow(inspector: Inspector): Promise<{ rss: number }> {
  const { rss } = await inspector.memory();
  const bytes = Math.max(0, rssBytes - rss);
  await inspector.evaluate(`void (globalThis.ballast = Buffer.alloc(${bytes}, 1))`);
  return inspector.memory();
}
