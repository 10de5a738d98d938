import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { describeWithHelm, only, root, useWorkshop, type Chart, type Manifest } from './testing/workshop.js';

/** Each duration among the values: the flag of the app, and the least value in milliseconds that the app accepts. */
const durations: [chart: Chart, value: string, flag: string, minMs: number][] = [
  ['promoter', 'pollInterval', '--poll-interval', 1000],
  ['gitops-responder', 'pollInterval', '--poll-interval', 1000],
  ['gate-controller', 'stateTtl', '--state-ttl', 10_000],
  ['gate-controller', 'auditTtl', '--audit-ttl', 0],
  ['commit-status-sync', 'commitStatusTtl', '--commit-status-ttl', 0],
];

it.each(durations)('the app %s has the minimum for %s that the test assumes', (app, _value, flag, minMs) => {
  const args = [join(root, 'apps', app, 'dist/main.mjs'), `${flag}=-1ns`];
  const { stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 30_000 });
  const minimum = minMs === 0 ? '0 or more' : `at least ${minMs} ms`;
  expect(stderr).toContain(`invalid value "-1ns" for flag ${flag}: it must be ${minimum}`);
});

/* `parseDuration` of libs/service, which parses the flags, has the same table. */
const validForms = [
  '1h30m',
  '1.5h',
  '+90s',
  '2.m',
  '.5h',
  '20000000us',
  '20000000µs',
  '20000000μs',
  '500ms9500ms',
];
const invalidForms = ['60', '5d', '1h 30m', '-5m', '.s', '5m,', '99999999h', `${'0'.repeat(100)}5m`];

function argumentsOf(manifests: readonly Manifest[]): string[] {
  const { spec } = only(manifests, 'Deployment') as unknown as {
    spec: { template: { spec: { containers: [{ args: string[] }] } } };
  };
  return spec.template.spec.containers[0].args;
}

describeWithHelm('a duration among the values', () => {
  const workshop = useWorkshop();

  const least = durations.map(([chart, value, flag, minMs]) => [chart, value, flag, `${minMs}ms`] as const);
  const valid = validForms.map((text) => ['gate-controller', 'stateTtl', '--state-ttl', text] as const);
  const zero = ['gate-controller', 'auditTtl', '--audit-ttl', '0'] as const;
  it.each([...least, zero, ...valid])(
    'is accepted by the chart %s: %s for %s=%s',
    async (chart, value, flag, text) => {
      expect(argumentsOf(await workshop.render(chart, { [value]: text }))).toContain(`${flag}=${text}`);
    },
  );

  const tooShort = durations.map(([chart, value, , minMs]) => [chart, value, `${minMs - 1}.9ms`] as const);
  const invalid = invalidForms.map((text) => ['gate-controller', 'stateTtl', text] as const);
  it.each([...tooShort, ...invalid])('is refused by the chart %s: %s %s', async (chart, value, text) => {
    await expect(workshop.render(chart, { [value]: text })).rejects.toThrow(
      text.startsWith('9999') ? text : value,
    );
  });

  it('is written in digits if the grace period is a large number of seconds', async () => {
    const manifests = await workshop.render('promoter', { gracePeriodSeconds: 1_000_000 });
    expect(argumentsOf(manifests)).toContain('--grace-period=1000000s');
  });
});
