import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { crashEverywhere } from './support/crash-everywhere.js';
import { clusterWrites, forgeCalls, type CallObserver, type ForgeTenant } from './support/crash-points.js';
import { rbacRepository, responseScenario } from './support/response-scenario.js';
import { alone, startWorld, type World } from './support/world.js';

const laneCount = 2;
const timeoutMs = 600_000;

/** Every write of a status is another one. */
const each = { read: 1, write: 10 };

type Observe = (world: World) => CallObserver<ForgeTenant>;
const calls: Observe = ({ platform }) => forgeCalls(platform, 'rest');
const writes: Observe = ({ platform }) => clusterWrites(platform, 'gitops-responder');

describe.each([
  ['call to GitHub', 'github', calls],
  ['write to the cluster', 'github', writes],
  ['call to GitLab', 'gitlab', calls],
  ['call to Gitea', 'gitea', calls],
] as const)('killed before and after every %s', (what, scm, observe) => {
  let worlds: World[];
  let template: string;

  beforeAll(async () => {
    worlds = await Promise.all(Array.from({ length: laneCount }, () => startWorld({ fleet: alone, scm })));
    template = await rbacRepository(join(worlds[0]!.folder, 'template.git'));
  }, timeoutMs);

  afterAll(async () => {
    await Promise.all(worlds.map((world) => world.close()));
  });

  test(
    'the responder opens one pull request of one commit all the same, and says so',
    async () => {
      const name = what.toLowerCase().replaceAll(' ', '-');
      expect(await crashEverywhere(worlds, name, responseScenario(template), observe, each)).toEqual([]);
    },
    timeoutMs,
  );
});
