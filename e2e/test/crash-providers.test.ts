import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { crashEverywhere } from './support/crash-everywhere.js';
import { forgeCalls } from './support/crash-points.js';
import { pendingPromotion, promotionScenario, type Template } from './support/promotion-scenario.js';
import { statusScenario } from './support/status-scenario.js';
import { alone, startWorld, type World } from './support/world.js';

const laneCount = 2;
const timeoutMs = 600_000;

describe.each([
  ['GitLab', 'gitlab'],
  ['Gitea', 'gitea'],
] as const)('killed before and after every call to the API of %s', (_, scm) => {
  let worlds: World[];
  let template: Template;

  beforeAll(async () => {
    worlds = await Promise.all(Array.from({ length: laneCount }, () => startWorld({ fleet: alone, scm })));
    template = await pendingPromotion(join(worlds[0]!.folder, 'template.git'));
  }, timeoutMs);

  afterAll(async () => {
    await Promise.all(worlds.map((world) => world.close()));
  });

  test(
    'the promoter promotes once all the same',
    async () =>
      expect(
        await crashEverywhere(worlds, scm, promotionScenario(template), (world) =>
          forgeCalls(world.platform, 'rest'),
        ),
      ).toEqual([]),
    timeoutMs,
  );

  test(
    'commit-status-sync reports each phase once',
    async () =>
      expect(
        await crashEverywhere(worlds, `${scm}-statuses`, statusScenario(template), (world) =>
          forgeCalls(world.platform, 'rest'),
        ),
      ).toEqual([]),
    timeoutMs,
  );
});
