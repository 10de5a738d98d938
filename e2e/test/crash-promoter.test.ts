import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { CrashLane, crashThrough, type CrashReport } from './support/crash-run.js';
import {
  clusterWrites,
  crashPointsOf,
  describePoint,
  forgeCalls,
  type CallObserver,
} from './support/crash-points.js';
import { pendingPromotion, promotionScenario, type Template } from './support/promotion-scenario.js';
import { alone, startWorld, type World } from './support/world.js';

const laneCount = 2;
const timeoutMs = 600_000;
let worlds: World[];
let template: Template;

beforeAll(async () => {
  worlds = await Promise.all(Array.from({ length: laneCount }, () => startWorld({ fleet: alone })));
  template = await pendingPromotion(join(worlds[0]!.folder, 'template.git'));
}, timeoutMs);

afterAll(async () => {
  await Promise.all(worlds.map((world) => world.close()));
});

test(
  'the promoter is killed before and after every call to the forge, and promotes once all the same',
  async () => {
    const { calls, report } = await crashEverywhere('forge', ({ platform }) => forgeCalls(platform));
    expect(report.failures).toEqual([]);
    expectCovered(calls, report);
  },
  timeoutMs,
);

test(
  'the promoter is killed before and after every write to the cluster, and promotes once all the same',
  async () => {
    const observe = ({ platform }: World) => clusterWrites(platform, 'promoter');
    const { calls, report } = await crashEverywhere('cluster', observe);
    expect(report.failures).toEqual([]);
    expectCovered(calls, report);
  },
  timeoutMs,
);

async function crashEverywhere(
  name: string,
  observe: (world: World) => CallObserver,
): Promise<{ calls: string[]; report: CrashReport }> {
  const scenario = promotionScenario(template);
  const lanes = worlds.map(
    (world, index) => new CrashLane(world, scenario, observe(world), `${name}-${index + 1}`),
  );
  const [first] = lanes;
  const calls = (await first?.discover()) ?? [];
  const report = await crashThrough(lanes, crashPointsOf(calls));
  console.info(
    [
      `${calls.length} calls, ${report.crashed.length} crash points, ${report.absent.length} did not come up again:`,
      ...report.absent.map(describePoint),
    ].join('\n'),
  );
  return { calls, report };
}

/* How often a thing is read, or a status written, may differ from run to run; what kinds of calls there are does not. */
function expectCovered(calls: readonly string[], { crashed }: CrashReport): void {
  const kinds = new Set(calls.flatMap((call) => [`before ${call}`, `after ${call}`]));
  const covered = new Set(crashed.map(({ moment, call }) => `${moment} ${call}`));
  expect([...kinds].filter((kind) => !covered.has(kind))).toEqual([]);
}
