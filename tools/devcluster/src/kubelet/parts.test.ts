import { describe, expect, it } from '@jest/globals';
import { expand } from './environment/expand.js';
import { afterRestart, delayText, restartAt } from './lifecycle/backoff.js';
import { noResults, tallied } from './probes/probe-state.js';
import { programOf } from './process/image-table.js';
import { hostnameOf } from './process/launch.js';
import { rewritePaths } from './process/mounts.js';

describe('expand', () => {
  it.each([
    ['$(A) and $(B)', 'one and two'],
    ['$(UNKNOWN)', '$(UNKNOWN)'],
    ['$$(A) costs $$5', '$(A) costs $5'],
    ['$A $(A', '$A $(A'],
  ])('converts %s to %s', (text, expected) => {
    const values: Record<string, string> = { A: 'one', B: 'two' };
    expect(expand(text, (name) => values[name])).toBe(expected);
  });
});

describe('hostnameOf', () => {
  it.each([
    ['web-1', {}, 'web-1'],
    ['web-1', { hostname: 'db' }, 'db'],
    [`${'a'.repeat(61)}-.b`, {}, 'a'.repeat(61)],
  ])('returns for the pod %s with %j the host name %s', (name, spec, expected) => {
    const metadata = { name };
    expect(hostnameOf({ apiVersion: 'v1', kind: 'Pod', metadata, spec })).toBe(expected);
  });
});

describe('rewritePaths', () => {
  const mounts = [
    { mountPath: '/etc/app', source: '/p/config' },
    { mountPath: '/etc/app/keys', source: '/p/keys' },
    { mountPath: '/data', source: '/p/$data' },
  ];
  it.each([
    ['/etc/app', '/p/config'],
    ['--config=/etc/app/a.yaml', '--config=/p/config/a.yaml'],
    ['/etc/app/keys/tls.crt', '/p/keys/tls.crt'],
    ['/etc/application', '/etc/application'],
    ['https://host/data', 'https://host/data'],
    ['/data:/etc/app', '/p/$data:/p/config'],
    ['cat "/data/x" /data', 'cat "/p/$data/x" /p/$data'],
    ['/srv/data', '/srv/data'],
  ])('converts %s to %s', (text, expected) => {
    expect(rewritePaths(text, mounts)).toBe(expected);
  });
});

describe('the back-off of restarts', () => {
  it('begins with ten seconds, doubles up to five minutes, and is reset after ten minutes of running', () => {
    expect(restartAt(undefined, 1_000)).toBe(1_000);
    let backoff = afterRestart(undefined, 0, 0);
    const delays = [backoff.delayMs];
    for (let count = 0; count < 6; count += 1) {
      backoff = afterRestart(backoff, 0, 0);
      delays.push(backoff.delayMs);
    }
    expect(delays.map(delayText)).toEqual(['10s', '20s', '40s', '1m20s', '2m40s', '5m0s', '5m0s']);
    expect(restartAt(backoff, 600_000)).toBe(900_000);
    expect(restartAt(backoff, 600_001)).toBe(600_001);
  });
});

describe('tallied', () => {
  it('changes the verdict when the threshold of equal results is reached', () => {
    const thresholds = { successThreshold: 2, failureThreshold: 3 };
    const verdicts: (boolean | undefined)[] = [];
    let tally = noResults;
    for (const isSuccess of [true, true, false, false, true, false, false, false]) {
      tally = tallied(tally, isSuccess, thresholds);
      verdicts.push(tally.verdict);
    }
    expect(verdicts).toEqual([undefined, true, true, true, true, true, true, false]);
  });
});

describe('programOf', () => {
  const images = {
    'a/b': { command: ['any'] },
    'a/b:2': { command: ['two'] },
    'host:5000/c': { command: ['port'] },
  };
  it.each([
    ['a/b', 'any'],
    ['a/b:1', 'any'],
    ['a/b:2', 'two'],
    ['a/b:2@sha256:0', 'two'],
    ['a/b@sha256:0', 'any'],
    ['host:5000/c', 'port'],
  ])('finds %s', (image, command) => {
    expect(programOf(images, image).command).toEqual([command]);
  });

  it('refuses an image that is not in the table', () => {
    expect(() => programOf(images, 'x:1')).toThrow('failed to pull and unpack image "x:1"');
  });
});
