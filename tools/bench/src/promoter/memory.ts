import { join } from 'node:path';
import type { BenchmarkContext, Measurement } from '../benchmark.js';
import { median } from '../statistics.js';
import { Inspector, type Memory } from '../inspector.js';
import { begin, commitDry } from './repository.js';
import { Fixture } from './fixture.js';

const strategies = 250;
const environments = ['dev', 'test', 'stage', 'prod'];
const proposedCommits = strategies * environments.length;
const readings = 5;
const mebibyte = 1024 ** 2;

const strategyOf = (index: number): string => `app-${index}`;
const branchesOf = (index: number): string[] => environments.map((name) => `${strategyOf(index)}/${name}`);

/** Measures the memory of the promoter without a ProposedCommit, and with 1,000 reconciled ProposedCommits. */
export async function measureMemory({ say, signal }: BenchmarkContext): Promise<Measurement[]> {
  const fixture = await Fixture.start({ env: { NODE_OPTIONS: '--inspect=127.0.0.1:0' } });
  try {
    const team = await fixture.team('many');
    const [first = ''] = await commitDry(team.local, 1);
    const branches = Array.from({ length: strategies }, (_, index) => branchesOf(index));
    await begin(team.local, branches.flat(), first);
    const inspector = await Inspector.connect(join(fixture.folder, 'promoter/log'));
    try {
      await fixture.settled(signal);
      const empty = await read(inspector);
      say(`promoter: memory with ${proposedCommits} ProposedCommits`);
      for (const [index, own] of branches.entries())
        await fixture.applyStrategy(team, strategyOf(index), own);
      await fixture.reconciled(team, strategies, signal);
      await fixture.settled(signal);
      const full = await read(inspector);
      return [...figures('no ProposedCommit', empty), ...figures('1,000 ProposedCommits', full)];
    } finally {
      inspector.close();
    }
  } finally {
    await fixture.close();
  }
}

async function read(inspector: Inspector): Promise<Memory> {
  const all: Memory[] = [];
  while (all.length < readings) all.push(await inspector.memory());
  return { rss: median(all.map(({ rss }) => rss)), heapUsed: median(all.map(({ heapUsed }) => heapUsed)) };
}

function figures(when: string, { rss, heapUsed }: Memory): Measurement[] {
  return [
    { metric: `RSS after GC, ${when}`, value: rss / mebibyte, unit: 'MiB' },
    { metric: `heap after GC, ${when}`, value: heapUsed / mebibyte, unit: 'MiB' },
  ];
}
