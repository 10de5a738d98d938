import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Agent, request } from 'undici';
import { useCluster } from '../../testing/harness.js';
import {
  createPod,
  logOf,
  nodeName,
  pod,
  podsPath,
  shell,
  testImages,
  untilStatus,
} from '../../testing/pods.js';
import { LogFile } from './log-file.js';

const api = useCluster({ kubelets: [{ nodeName }], images: testImages });

describe('the log of a pod', () => {
  it('is sent according to the options', async () => {
    await createPod(
      api,
      pod('lines', [shell('c', 'for n in 1 2 3 4; do echo line $n; done; printf rest')], {
        restartPolicy: 'Never',
      }),
    );
    await untilStatus(api, 'lines', ({ phase }) => phase === 'Succeeded');
    expect(await logOf(api, 'lines')).toBe('line 1\nline 2\nline 3\nline 4\nrest');
    expect(await logOf(api, 'lines', 'tailLines=2')).toBe('line 4\nrest');
    expect(await logOf(api, 'lines', 'tailLines=0')).toBe('');
    expect(await logOf(api, 'lines', 'limitBytes=8')).toBe('line 1\nl');
    expect(await logOf(api, 'lines', 'sinceTime=2100-01-01T00:00:00Z')).toBe('');
    expect(await logOf(api, 'lines', 'timestamps=true&tailLines=1')).toMatch(
      /^\d{4}-\d\d-\d\dT[\d:.]+Z rest$/,
    );
    expect(await logOf(api, 'lines', 'follow=true&tailLines=1')).toBe('rest');
  });

  it('is followed until the container ends', async () => {
    const script = 'echo first; until [ -e "$TMPDIR/go" ]; do sleep 0.05; done; echo second';
    const probe = { exec: { command: ['sh', '-c', 'touch "$TMPDIR/go"'] }, initialDelaySeconds: 1 };
    await createPod(
      api,
      pod('follow', [shell('c', script, { readinessProbe: probe })], { restartPolicy: 'Never' }),
    );
    await api.until(`${podsPath}/follow/log`, ({ text }) => text === 'first\n');
    expect(await logOf(api, 'follow', 'follow=1')).toBe('first\nsecond\n');
  });

  it('is not available for some containers and states', async () => {
    const containers = [shell('a', 'sleep 600'), shell('b', 'sleep 600')];
    await createPod(
      api,
      pod('two', containers, { initContainers: [shell('i', 'true')], terminationGracePeriodSeconds: 1 }),
    );
    await untilStatus(api, 'two', ({ phase }) => phase === 'Running');
    await createPod(api, { ...pod('unbound', containers), spec: { containers } });
    const path = (name: string, query = ''): string => `${podsPath}/${name}/log?${query}`;
    const errors: [string, number, string | undefined][] = [
      [path('none'), 404, 'pods "none" not found'],
      [path('two'), 400, 'a container name must be specified for pod two, choose one of: [i a b]'],
      [path('two', 'container=x'), 400, 'container x is not valid for pod two'],
      [
        path('two', 'container=a&previous=true'),
        400,
        'previous terminated container "a" in pod "two" not found',
      ],
      [
        path('two', 'container=a&tailLines=-1'),
        422,
        'PodLogOptions "two" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0',
      ],
      [path('unbound', 'container=a'), 204, undefined],
    ];
    for (const [url, code, message] of errors) {
      const { status, body } = await api.get(url);
      expect([url, status, body['message']]).toEqual([url, code, message]);
    }
  });

  it('ends when the client disconnects', async () => {
    await createPod(api, pod('chatty', [shell('c', 'while :; do echo x; sleep 0.01; done')]));
    await api.until(`${podsPath}/chatty/log`, ({ text }) => text.startsWith('x\n'));
    const gone = new AbortController();
    const { url, adminToken } = api.cluster;
    const headers = { authorization: `Bearer ${adminToken}` };
    const dispatcher = new Agent({ connect: { ca: api.cluster.caCert } });
    const { body } = await request(`${url}${podsPath}/chatty/log?follow=1`, {
      headers,
      dispatcher,
      signal: gone.signal,
    });
    for await (const chunk of body as AsyncIterable<Buffer>) if (chunk.length > 0) break;
    gone.abort();
    await dispatcher.destroy();
    await api.remove(`${podsPath}/chatty`, { gracePeriodSeconds: 1 });
    await api.until(`${podsPath}/chatty`, ({ status }) => status === 404);
  });
});

describe('LogFile', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'log-test-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('keeps two files of limited size', () => {
    const log = new LogFile(join(folder, 'log'), () => 0, 1_000);
    for (let number = 0; number < 200; number += 1) log.append('stdout', Buffer.from(`line ${number}\n`));
    log.end();
    const sizes = readdirSync(folder).map((name) => statSync(join(folder, name)).size);
    expect(sizes).toHaveLength(2);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1_000);
    expect(log.lines().at(-1)?.text).toBe('line 199');
  });

  it('preserves bytes, and splits long lines', () => {
    const log = new LogFile(join(folder, 'log'), () => 0);
    const long = Buffer.alloc(40_000, 'é');
    log.append('stderr', Buffer.concat([long, Buffer.from('\n')]));
    log.end();
    const lines = log.lines();
    expect(lines.map(({ isPartial }) => isPartial)).toEqual([true, true, false]);
    expect(Buffer.from(lines.map(({ text }) => text).join(''), 'latin1').equals(long)).toBe(true);
  });
});
