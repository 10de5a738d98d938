import { join } from 'node:path';
import type { BenchmarkContext, Measurement } from '../benchmark.js';
import { createHydrator, promote, type Hydrator } from './hydrator.js';
import { Inspector } from './inspector.js';
import { Promotions } from './promotions.js';
import { World } from './world.js';

const promotions = 40;
const warmUps = 8;
const teamCount = 8;
const environment = 'dev';
/** As much as the promoter holds for some thousand repositories. */
const rssBytes = 1024 ** 3;
const nanosecondsPerMs = 1e6;

/**
 * Measures how late the timers of a promoter of 1 GiB are from each push until its merge. What Node.js starts is a copy of its
 * own page tables, so that each git process of a large promoter could stop everything else.
 */
export async function measureEventLoop({ say, signal }: BenchmarkContext): Promise<Measurement[]> {
  const world = await World.start({ env: { NODE_OPTIONS: '--inspect=127.0.0.1:0' } });
  const inspector = await Inspector.connect(join(world.folder, 'promoter/log'));
  try {
    const noted = new Promotions(world.platform.forge);
    const commits = Math.ceil((warmUps + promotions) / teamCount);
    const teams: Hydrator[] = [];
    while (teams.length < teamCount)
      teams.push(
        await createHydrator(world, { name: `team-${teams.length}`, environments: [environment], commits }),
      );
    await world.settled(signal);
    say('promoter: delays of the event loop at 1 GiB');
    const { rss } = await grow(inspector);
    await inspector.evaluate(startDelays);
    for (let turn = 0; turn < warmUps + promotions; turn++) {
      const team = teams[turn % teamCount];
      if (team === undefined) continue;
      if (turn === warmUps) await inspector.evaluate('delays.reset()');
      await inspector.evaluate('delays.enable()');
      await promote(world, noted, team, environment, signal);
      await inspector.evaluate('delays.disable()');
      await world.settled(signal);
    }
    const [p50, p99, max] = (await inspector.evaluate(
      '[delays.percentile(50), delays.percentile(99), delays.max]',
    )) as [number, number, number];
    const what = `delay of the event loop during promotions, at ${Math.round(rss / 1024 ** 2)} MiB RSS`;
    return [
      { metric: `${what}, median`, value: p50 / nanosecondsPerMs, unit: 'ms' },
      { metric: `${what}, p99`, value: p99 / nanosecondsPerMs, unit: 'ms' },
      { metric: `${what}, most`, value: max / nanosecondsPerMs, unit: 'ms' },
    ];
  } finally {
    inspector.close();
    await world.close();
  }
}

/** The values are the intervals between ticks of a timer of 1 ms, so that an idle loop has 1 ms, too. */
const startDelays = `void (globalThis.delays = process.getBuiltinModule('node:perf_hooks').monitorEventLoopDelay({ resolution: 1 }))`;

/** Fills memory outside of the heap, as objects of git do. */
async function grow(inspector: Inspector): Promise<{ rss: number }> {
  const { rss } = await inspector.memory();
  const bytes = Math.max(0, rssBytes - rss);
  await inspector.evaluate(`void (globalThis.ballast = Buffer.alloc(${bytes}, 1))`);
  return inspector.memory();
}
