import type { BenchmarkContext, Measurement } from '../benchmark.js';
import { median, quantile } from '../statistics.js';
import { createHydrator, promote, type Hydrator } from './hydrator.js';
import { Promotions, stages, stagesOf, type Promotion } from './promotions.js';
import { Fixture } from './fixture.js';

const runs = 5;
const promotionsPerRun = 40;
const warmUps = 8;
/*
 * GitHub limits the write rate of an installation, and the promoter refreshes a repository for webhooks once in two
 * seconds at most. Many teams take turns, so that the benchmark measures neither limit.
 */
const teamCount = 16;
const environments = ['dev', 'test', 'prod'];
const [environment = ''] = environments;

/**
 * Pushes hydrated commits one after another, and measures the time from the push, when the forge sends the webhook,
 * until the forge has the pull request.
 */
export async function measureLatency({ say, signal }: BenchmarkContext): Promise<Measurement[]> {
  const fixture = await Fixture.start();
  try {
    const promotions = new Promotions(fixture.platform.forge);
    const hydrators: Hydrator[] = [];
    const commits = Math.ceil((warmUps + runs * promotionsPerRun) / teamCount);
    for (let index = 0; index < teamCount; index++)
      hydrators.push(await createHydrator(fixture, { name: `team-${index}`, environments, commits }));
    await fixture.settled(signal);
    let turn = 0;
    const series = async (count: number): Promise<Promotion[]> => {
      const done: Promotion[] = [];
      while (done.length < count) {
        const next = hydrators[turn++ % teamCount];
        if (next === undefined) continue;
        done.push(await promote(fixture, promotions, next, environment, signal));
        await fixture.settled(signal);
      }
      return done;
    };
    await series(warmUps);
    const measured: Promotion[][] = [];
    const before = await fixture.samples();
    for (let run = 0; run < runs; run++) {
      say(`promoter: promotions, run ${run + 1} of ${runs}`);
      measured.push(await series(promotionsPerRun));
    }
    const after = await fixture.samples();
    const perPromotion = (name: string) => (after.sum(name) - before.sum(name)) / (runs * promotionsPerRun);
    return [
      ...latencies(measured),
      {
        metric: 'git processes per promotion to an environment',
        value: perPromotion('git_processes_total'),
        unit: '1',
      },
      {
        metric: 'SCM API calls per promotion to an environment',
        value: perPromotion('scm_calls_total'),
        unit: '1',
      },
    ];
  } finally {
    await fixture.close();
  }
}

function latencies(runsOf: readonly (readonly Promotion[])[]): Measurement[] {
  const all = runsOf.flat();
  const overRuns = (value: (promotion: Promotion) => number) =>
    median(runsOf.map((run) => median(run.map(value))));
  const total = ({ openedAt, pushedAt }: Promotion) => openedAt - pushedAt;
  return [
    { metric: 'webhook to open pull request, median', value: overRuns(total), unit: 'ms' },
    { metric: 'webhook to open pull request, p99', value: quantile(all.map(total), 0.99), unit: 'ms' },
    ...stages.map((stage, index) => ({
      metric: `of it: ${stage}`,
      value: overRuns((promotion) => stagesOf(promotion)[index] ?? 0),
      unit: 'ms',
    })),
  ];
}
