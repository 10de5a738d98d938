import type { BenchmarkContext, Measurement } from '../benchmark.js';
import { median } from '../statistics.js';
import { reference } from './reference.js';
import { begin, commitDry } from './repository.js';
import { Fixture } from './fixture.js';

const sizes = [1, 10, 50];
const environments = ['dev', 'test', 'prod'];
const runs = 5;
const pollsPerRun = 3;
const pollIntervalSeconds = 1;
const defaultPollIntervalSeconds = 60;
const pollsPerHour = 3600 / defaultPollIntervalSeconds;

const strategyOf = (index: number): string => `app-${index}`;
const branchesOf = (index: number): string[] => environments.map((name) => `${strategyOf(index)}/${name}`);

/**
 * Counts the operations of polls of an unchanged repository with the metrics of the promoter. The polling interval is
 * shortened. The cost of a poll is multiplied by the number of polls per hour with the default interval.
 */
export async function measureIdleCost({ say, signal }: BenchmarkContext): Promise<Measurement[]> {
  const fixture = await Fixture.start({
    args: [`--poll-interval=${pollIntervalSeconds}s`, '--leader-elect=false'],
  });
  try {
    const team = await fixture.team('idle');
    const [first = ''] = await commitDry(team.local, 1);
    const largest = Math.max(...sizes);
    await begin(team.local, Array.from({ length: largest }, (_, index) => branchesOf(index)).flat(), first);
    const measurements: Measurement[] = [];
    let strategies = 0;
    for (const size of sizes) {
      say(`promoter: idle cost, strategies: ${size}`);
      while (strategies < size) {
        await fixture.applyStrategy(team, strategyOf(strategies), branchesOf(strategies));
        strategies++;
      }
      await fixture.reconciled(team, size, signal);
      await fixture.settled(signal);
      const costs: Cost[] = [];
      for (let run = 0; run < runs; run++) costs.push(await costPerPoll(fixture, signal));
      measurements.push(...perHour(size, costs));
    }
    return measurements;
  } finally {
    await fixture.close();
  }
}

/** The operations of the promoter since its start. */
interface Cost {
  polls: number;
  gitProcesses: number;
  lsRemotes: number;
  scmCalls: number;
  apiRequests: number;
}

async function costSoFar(fixture: Fixture): Promise<Cost> {
  const samples = await fixture.samples();
  return {
    polls: samples.sum('controller_runtime_reconcile_total', { controller: 'git-repository' }),
    gitProcesses: samples.sum('git_processes_total'),
    lsRemotes: samples.sum('git_operations_total', { operation: 'ls-remote' }),
    scmCalls: samples.sum('scm_calls_total'),
    apiRequests: samples.sum('rest_client_requests_total'),
  };
}

/** Returns the average cost of several polls. */
async function costPerPoll(fixture: Fixture, signal: AbortSignal): Promise<Cost> {
  const before = await costSoFar(fixture);
  let after = before;
  await fixture.until(async () => {
    after = await costSoFar(fixture);
    return after.polls - before.polls >= pollsPerRun;
  }, signal);
  await fixture.settled(signal);
  after = await costSoFar(fixture);
  const polls = after.polls - before.polls;
  const per = (value: (cost: Cost) => number) => (value(after) - value(before)) / polls;
  return {
    polls: 1,
    gitProcesses: per(({ gitProcesses }) => gitProcesses),
    lsRemotes: per(({ lsRemotes }) => lsRemotes),
    scmCalls: per(({ scmCalls }) => scmCalls),
    apiRequests: per(({ apiRequests }) => apiRequests),
  };
}

function perHour(size: number, costs: readonly Cost[]): Measurement[] {
  const ofPolls = (value: (cost: Cost) => number) => median(costs.map(value)) * pollsPerHour;
  const figure = (what: string, value: number, peer?: number): Measurement => ({
    metric: `idle, strategies: ${size}: ${what}`,
    value,
    unit: 'per repository and hour',
    peer,
  });
  const policies = size * environments.length;
  return [
    figure(
      'git processes',
      ofPolls(({ gitProcesses }) => gitProcesses),
      policies * reference.gitProcessesPerHour,
    ),
    figure(
      'ls-remotes',
      ofPolls(({ lsRemotes }) => lsRemotes),
      policies * reference.lsRemotesPerHour,
    ),
    figure(
      'SCM API calls',
      ofPolls(({ scmCalls }) => scmCalls),
    ),
    figure(
      'Kubernetes API requests',
      ofPolls(({ apiRequests }) => apiRequests),
    ),
  ];
}
