import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { request } from 'undici';
import { bundleDemo, TestProcess, type Bundle } from './testing/process.js';

const ports = ['--metrics-bind-address=127.0.0.1:0', '--health-probe-bind-address=127.0.0.1:0'];

let bundle: Bundle;
const running: TestProcess[] = [];

function start(args: readonly string[], env?: Record<string, string>): TestProcess {
  const started = new TestProcess(bundle.program, args, env);
  running.push(started);
  return started;
}

const scenario = (name: string, ...more: string[]) => start([...ports, `--scenario=${name}`, ...more]);

beforeAll(async () => {
  bundle = await bundleDemo();
});
afterEach(async () => {
  for (const one of running) one.kill('SIGKILL');
  await Promise.all(running.splice(0).map(({ exit }) => exit));
});
afterAll(() => bundle.remove());

describe('the command line', () => {
  test('prints the flags for --help', async () => {
    const help = start(['--help']);
    expect(await help.exit).toBe(0);
    const text = help.stdout.replace(/\s+/g, ' ');
    expect(text).toContain(
      '--metrics-bind-address <address> Address at which /metrics is served; 0 disables it. (default: :8080, env: INTERLOCK_METRICS_BIND_ADDRESS)',
    );
    expect(text).toContain('--grace-period <duration>');
    expect(text).toContain('--scenario <serve|finish');
  });

  test.each([
    [
      ['--grace-period=5'],
      'demo: invalid value "5" for flag --grace-period: "5" has no unit; write for example 90s, 1h30m or 500ms\n',
    ],
    [['--scenarios=x'], "demo: unknown option '--scenarios'\n(Did you mean --scenario?); see demo --help\n"],
  ])('exits with code 2 for %j', async (args, message) => {
    const failed = start(args);
    expect(await failed.exit).toBe(2);
    expect(failed).toMatchObject({ stdout: '', stderr: message });
  });

  test('reads flags from the environment too', async () => {
    const env = {
      INTERLOCK_SCENARIO: 'finish',
      INTERLOCK_GREETING: 'hello',
      INTERLOCK_METRICS_BIND_ADDRESS: '0',
      INTERLOCK_HEALTH_PROBE_BIND_ADDRESS: '0',
    };
    const finished = start([], env);
    expect(await finished.exit).toBe(0);
    expect(finished.lines.map(({ msg }) => msg)).toEqual(['running', 'stopped']);
    expect(finished.lines[0]).toMatchObject({ level: 'info', component: 'demo', greeting: 'hello' });
  });
});

describe('a process', () => {
  test('exits with code 0 when its work is finished', async () => {
    const ended = scenario('finish');
    expect(await ended.exit).toBe(0);
    expect(ended.lines.at(-1)).toMatchObject({ msg: 'stopped', level: 'info' });
  });

  test('exits with code 2 and without a stack trace when its flags cannot be used', async () => {
    const ended = scenario('refuse-flags');
    expect(await ended.exit).toBe(2);
    expect(ended.lines.at(-1)).toMatchObject({ msg: '--greeting must be set', level: 'fatal' });
    expect(ended.stdout).not.toContain('UsageError');
  });

  test.each([
    ['fail', 'failed'],
    ['throw-late', 'uncaught exception'],
    ['reject-late', 'unhandled rejection'],
  ])('exits with code 1 for the scenario %s', async (name, message) => {
    const ended = scenario(name);
    expect(await ended.exit).toBe(1);
    expect(ended.lines.at(-1)).toMatchObject({ msg: message, level: 'fatal' });
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('stops gracefully with code 0 at %s', async (signal) => {
    const stopping = scenario('serve');
    await stopping.url('webhooks');
    stopping.kill(signal);
    expect(await stopping.exit).toBe(0);
    expect(stopping.lines.slice(-2)).toMatchObject([{ msg: 'stopping', signal }, { msg: 'stopped' }]);
  });

  test('exits with code 1 after a failure while stopping', async () => {
    const stopping = scenario('fail-on-stop');
    await stopping.line(({ msg }) => msg === 'running');
    stopping.kill('SIGTERM');
    expect(await stopping.exit).toBe(1);
    expect(stopping.lines.at(-1)).toMatchObject({ msg: 'failed', error: { message: 'cannot clean up' } });
  });

  test('exits at the end of the grace period', async () => {
    const stuck = scenario('never-stop', '--grace-period=50ms');
    await stuck.line(({ msg }) => msg === 'running');
    stuck.kill('SIGTERM');
    expect(await stuck.exit).toBe(1);
    expect(stuck.lines.at(-1)).toMatchObject({ msg: 'the process did not stop within the grace period' });
  });

  test('exits at once at a second signal; until then it is alive but not ready', async () => {
    const stuck = scenario('never-stop');
    const probes = await stuck.url('probes');
    await stuck.line(({ msg }) => msg === 'running');
    expect((await request(`${probes}/readyz`)).statusCode).toBe(200);
    stuck.kill('SIGTERM');
    await stuck.line(({ msg }) => msg === 'stopping');
    expect((await request(`${probes}/readyz`)).statusCode).toBe(503);
    expect((await request(`${probes}/healthz`)).statusCode).toBe(200);
    stuck.kill('SIGINT');
    expect(await stuck.exit).toBe(1);
  });
});

describe('a service', () => {
  test('serves metrics, probes and webhooks', async () => {
    const served = scenario('serve');
    const metrics = await request(`${await served.url('metrics')}/metrics`);
    expect(metrics.headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(await metrics.body.text()).toContain('process_cpu_seconds_total');
    const ready = await request(`${await served.url('probes')}/readyz`);
    expect(await ready.body.text()).toBe('[+]running ok\ncheck passed\n');

    const url = `${await served.url('webhooks')}/webhooks`;
    const body = '{ "spaces":  "count" }';
    const headers = { 'content-type': 'application/json' };
    const answer = await request(url, { method: 'POST', headers, body });
    expect(await answer.body.json()).toEqual({
      hmac: createHmac('sha256', 'key').update(body).digest('hex'),
    });
    const large = await request(url, { method: 'POST', headers, body: 'x'.repeat(1_001) });
    expect(large.statusCode).toBe(413);
    await large.body.dump();
  });

  test('reports a port that is in use', async () => {
    const first = scenario('serve');
    const taken = await first.url('metrics');
    const second = start([
      `--metrics-bind-address=${taken.slice('http://'.length)}`,
      '--health-probe-bind-address=0',
    ]);
    expect(await second.exit).toBe(1);
    expect(second.lines.at(-1)).toMatchObject({
      level: 'fatal',
      error: { message: expect.stringContaining('EADDRINUSE') },
    });
  });

  test('serves metrics and probes on one port if both addresses are equal', async () => {
    const probe = scenario('serve');
    const free = (await probe.url('metrics')).slice('http://'.length);
    probe.kill('SIGKILL');
    await probe.exit;
    const served = start([`--metrics-bind-address=${free}`, `--health-probe-bind-address=${free}`]);
    const url = await served.url('metrics and probes');
    for (const path of ['/metrics', '/healthz', '/readyz']) {
      const { statusCode, body } = await request(url + path);
      await body.dump();
      expect({ path, statusCode }).toEqual({ path, statusCode: 200 });
    }
  });
});
