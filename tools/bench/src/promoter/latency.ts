import { join } from 'node:path';
import { initBare, type LocalRepository } from '@interlock/stack';
import type { BenchmarkContext, Measurement } from '../benchmark.js';
import { median, quantile } from '../statistics.js';
import { Promotions, stages, stagesOf, type Promotion } from './promotions.js';
import { begin, commitDry, dryBranch, hydrate, proposedBranchOf } from './repository.js';
import { World, type Team } from './world.js';

const runs = 5;
const promotionsPerRun = 40;
const warmUps = 8;
/* GitHub bounds how fast one installation may write; turns are taken so that this bound is not what is measured. */
const teamCount = 8;
const environments = ['dev', 'test', 'prod'];
const [environment = ''] = environments;

/** A team with what its hydrator has on disk. */
interface Hydrator extends Team {
  source: LocalRepository;
  /** Dry commits that are still to be hydrated. */
  waiting: string[];
  env: Record<string, string>;
}

/**
 * Pushes hydrated commits one after another, and takes the time from when the forge knows of a push, and sends the
 * webhook, until it has the pull request.
 */
export async function measureLatency({ say, signal }: BenchmarkContext): Promise<Measurement[]> {
  const world = await World.start();
  try {
    const promotions = new Promotions(world.platform.forge);
    const hydrators: Hydrator[] = [];
    for (let index = 0; index < teamCount; index++) hydrators.push(await hydrator(world, `team-${index}`));
    await world.settled(signal);
    let turn = 0;
    const promote = async (count: number): Promise<Promotion[]> => {
      const done: Promotion[] = [];
      while (done.length < count) {
        const next = hydrators[turn++ % teamCount];
        if (next !== undefined) done.push(await promoteOnce(world, promotions, next, signal));
      }
      return done;
    };
    await promote(warmUps);
    const measured: Promotion[][] = [];
    const before = await world.samples();
    for (let run = 0; run < runs; run++) {
      say(`promoter: promotions, run ${run + 1} of ${runs}`);
      measured.push(await promote(promotionsPerRun));
    }
    const after = await world.samples();
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
    await world.close();
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

async function hydrator(world: World, name: string): Promise<Hydrator> {
  const { forge } = world.platform;
  const source = await initBare(join(world.folder, `${name}.git`), dryBranch);
  const perTeam = Math.ceil((warmUps + runs * promotionsPerRun) / teamCount);
  const [first = '', ...waiting] = await commitDry(source, perTeam + 1);
  await begin(source, environments, first);
  const team = await world.team(name, { path: source.path });
  const { login, token } = await forge.createUser({ login: `hydrator-of-${name}` });
  await forge.grant({ owner: name, name: team.repository.name, login, role: 'write' });
  await world.applyStrategy(team, 'app', environments);
  const credential = Buffer.from(`${login}:${token}`).toString('base64');
  const env = {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'http.extraHeader',
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${credential}`,
  };
  return { ...team, source, waiting, env };
}

/** Promotes the next dry commit of a team, and waits until everything is at rest again. */
async function promoteOnce(
  world: World,
  promotions: Promotions,
  { source, waiting, env, repository }: Hydrator,
  signal: AbortSignal,
): Promise<Promotion> {
  const drySHA = waiting.shift();
  if (drySHA === undefined) throw new Error('no dry commit is left');
  const branch = proposedBranchOf(environment);
  await hydrate(source, environment, drySHA);
  const promotion = promotions.begin(repository.id, branch);
  await source.git(['push', '--quiet', repository.cloneUrl, branch], { env });
  await world.until(() => promotion.merged, signal);
  await world.settled(signal);
  return promotion;
}
