import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { crashEverywhere } from './support/crash-everywhere.js';
import { clusterWrites, forgeCalls } from './support/crash-points.js';
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
  'killed before and after every call to the forge, the promoter promotes once all the same',
  async () =>
    expect(
      await crashEverywhere(worlds, 'forge', promotionScenario(template), (world) =>
        forgeCalls(world.platform),
      ),
    ).toEqual([]),
  timeoutMs,
);

test(
  'killed before and after every write to the cluster, the promoter promotes once all the same',
  async () =>
    expect(
      await crashEverywhere(worlds, 'cluster', promotionScenario(template), ({ platform }) =>
        clusterWrites(platform, 'promoter'),
      ),
    ).toEqual([]),
  timeoutMs,
);
