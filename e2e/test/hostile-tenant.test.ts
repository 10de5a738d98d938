import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '@interlock/kube/testing';
import { apps, providerName, type AppName } from '@interlock/stack';
import { parse } from 'yaml';
import { Attacker, canaries } from './support/hostile/attacker.js';
import { Flood } from './support/hostile/flood.js';
import { MemoryPeaks } from './support/hostile/memory.js';
import { environments, Neighbour, settledRepository } from './support/hostile/neighbour.js';
import {
  startCatchingServer,
  startSilentServer,
  type CatchingServer,
  type SilentServer,
} from './support/hostile/servers.js';
import { root } from './support/program.js';
import { tenantName } from './support/test-cluster.js';
import { alone, startFixture, type Fixture } from './support/fixture.js';

const timeoutMs = 240_000;
const mebibyte = 1024 * 1024;
/** Maximum factor by which a tenant may be delayed. */
const maxDelay = 3;
/** Milliseconds that the promoter may wait before the next refresh that a webhook requests, also without an attack. */
const webhookIntervalMs = 2_000;

let silent: SilentServer;
let catching: CatchingServer;
let fixture: Fixture;
let attacker: Attacker;
let neighbour: Neighbour;
let quietMs: number;
let pids: number[];
let peaks: ReadonlyMap<number, number>;

const pidsOf = ({ fleet }: Fixture) => apps.map((app) => fleet.processes[app].pid ?? 0);

beforeAll(async () => {
  silent = await startSilentServer('127.0.0.2');
  catching = await startCatchingServer('127.0.0.3');
  /* The platform allows the host of one server, but not that of the other. */
  const hosts = `--scm-hosts=${new URL(silent.url).host}`;
  const args = Object.entries(alone.args ?? {}).map(([app, own]): [string, string[]] => [
    app,
    app === 'gate-controller' ? [...own] : [...own, hosts],
  ]);
  fixture = await startFixture({ fleet: { args: Object.fromEntries(args) } });
  const template = await settledRepository(join(fixture.folder, 'template.git'));
  await fixture.fleet.start();
  neighbour = await Neighbour.create(fixture, tenantName('neighbour'), template, timeoutMs);
  attacker = new Attacker(fixture, tenantName('attacker'), { silent, catching });
  const connect = await attacker.prepare(template, environments);
  const before = performance.now();
  await neighbour.round(1, timeoutMs);
  quietMs = Math.max(performance.now() - before, webhookIntervalMs);

  pids = pidsOf(fixture);
  const recording = new MemoryPeaks(pids);
  await attacker.attack(environments);
  await connect();
  const { promoter, 'gitops-responder': responder } = fixture.fleet.webhookUrls;
  const flood = new Flood({
    urls: [
      `${promoter}/webhooks/${attacker.name}/silent-0`,
      `${promoter}/webhooks/${neighbour.team.name}/${providerName}`,
      `${responder}/webhooks/${neighbour.team.name}`,
    ],
    clients: 10,
    stalled: 40,
  });
  try {
    await eventually(() => {
      expect(silent.open()).toBeGreaterThan(0);
      expect(flood.sent).toBeGreaterThan(100);
    }, timeoutMs);
    await neighbour.round(2, maxDelay * quietMs);
    await eventually(async () => expect(await attacker.missing()).toEqual([]), timeoutMs);
  } finally {
    await flood.stop();
    peaks = await recording.stop();
  }
}, 3 * timeoutMs);

afterAll(async () => {
  await fixture.close();
  await silent.close();
  await catching.close();
});

async function memoryLimitOf(app: AppName): Promise<number> {
  const text = await readFile(join(root, 'charts', app, 'values.yaml'), 'utf8');
  const { resources } = parse(text) as { resources: { limits: { memory: string } } };
  const [, count, unit] = /^([0-9]+)([MG])i$/.exec(resources.limits.memory) ?? [];
  return Number(count) * (unit === 'G' ? 1024 : 1) * mebibyte;
}

describe('while a tenant attacks', () => {
  test('another tenant is served within three times the usual duration', () => {
    /* The second round fails after that time. */
    expect(quietMs).toBeGreaterThan(0);
  });

  test('every app keeps running and responds', async () => {
    expect(pidsOf(fixture)).toEqual(pids);
    for (const app of apps) expect([app, await fixture.fleet.ready(app)]).toEqual([app, true]);
  });

  test.each(apps)('the memory of %s stays below the limit of its chart', async (app) => {
    const peak = peaks.get(pids[apps.indexOf(app)] ?? 0) ?? 0;
    expect(peak).toBeGreaterThan(10 * mebibyte);
    expect(peak).toBeLessThan(await memoryLimitOf(app));
  });

  test('its servers receive no credential of the platform', async () => {
    await fetch(catching.url, { headers: { authorization: canaries.platform } });
    const [control, ...others] = [...catching.caught].reverse();
    expect(control).toContain(canaries.platform);
    expect(others.filter((request) => /authorization|private-token/i.test(request))).toEqual([]);
    const all = others.join('\n');
    for (const canary of Object.values(canaries)) expect(all).not.toContain(canary);
  });

  test('no status shows the content of a ConfigMap', async () => {
    const statuses = await attacker.statuses();
    expect(statuses).toContain('Invalid');
    expect(statuses).not.toContain(canaries.configMap);
  });
});
