import { FakeClock } from '@interlock/base/testing';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import { sendStatus, StubApi } from '../testing/stub-api.js';
import { until } from '../testing/until.js';
import { createClient } from './client.js';
import { ConfigMap } from './kinds.js';
import type { Client, WatchEvent, WatchOptions } from './types.js';

let api: StubApi;
let client: Client;
let clock: FakeClock;

beforeEach(async () => {
  clock = new FakeClock();
  api = await StubApi.start((_, response) => sendStatus(response, 500, 'InternalError'));
  client = createClient({ kubeConfig: api.kubeConfig(), userAgent: 't', defaultFieldManager: 't', clock });
});
afterEach(async () => {
  await client.close();
  await api.close();
});

async function watch(options: Partial<WatchOptions> = {}): Promise<WatchEvent<ConfigMap>[]> {
  const events: WatchEvent<ConfigMap>[] = [];
  for await (const event of client.watch(ConfigMap, { resourceVersion: '5', ...options })) events.push(event);
  return events;
}

function stream(write: (response: ServerResponse) => void): void {
  api.answer((_, response) => write(response.writeHead(200)));
}

const object = (name: string, resourceVersion: string) => ({
  metadata: { name, namespace: 'a', resourceVersion },
});
const line = (type: string, of: object) => `${JSON.stringify({ type, object: of })}\n`;

describe('watch', () => {
  test('requests bookmarks, starting from a version', async () => {
    stream((response) => response.end());
    await watch({
      namespace: 'a',
      labelSelector: 'x',
      fieldSelector: 'metadata.name=y',
      timeoutSeconds: 300,
    });
    expect(api.requests[0]?.url).toBe(
      '/api/v1/namespaces/a/configmaps?watch=true&allowWatchBookmarks=true&resourceVersion=5' +
        '&labelSelector=x&fieldSelector=metadata.name%3Dy&timeoutSeconds=300',
    );
  });

  test('yields the same events however their bytes are split', async () => {
    const text = [
      line('ADDED', { ...object('ü', '6'), kind: 'PartialObjectMetadata' }),
      line('MODIFIED', object('ü', '7')),
      line('DELETED', object('ü', '8')),
      line('BOOKMARK', {
        metadata: { resourceVersion: '9' },
      }),
      line('BOOKMARK', { metadata: { resourceVersion: '10' } }),
      '{"type":"ADDED","obj',
    ].join('');
    const bytes = Buffer.from(text);
    stream((response) => {
      for (let at = 0; at < bytes.length; at += 7) response.write(bytes.subarray(at, at + 7));
      response.end();
    });
    const typed = { apiVersion: 'v1', kind: 'ConfigMap' };
    expect(await watch()).toEqual([
      { type: 'ADDED', object: { ...object('ü', '6'), ...typed } },
      { type: 'MODIFIED', object: { ...object('ü', '7'), ...typed } },
      { type: 'DELETED', object: { ...object('ü', '8'), ...typed } },
      { type: 'BOOKMARK', resourceVersion: '9' },
      { type: 'BOOKMARK', resourceVersion: '10' },
    ]);
  });

  test('yields events before the stream ends, and closes the stream when the caller stops reading', async () => {
    let closed = false;
    stream((response) => {
      response.on('close', () => (closed = true));
      response.write(line('ADDED', object('x', '6')));
    });
    for await (const event of client.watch(ConfigMap, { resourceVersion: '5' })) {
      expect(event.type).toBe('ADDED');
      break;
    }
    await until(() => closed);
  });

  test('throws an ERROR event', async () => {
    const status = {
      kind: 'Status',
      code: 410,
      reason: 'Expired',
      message: 'too old resource version: 5 (9)',
    };
    stream((response) => response.end(line('ERROR', status)));
    await expect(watch()).rejects.toMatchObject({
      type: 'NotFound',
      code: 410,
      reason: 'Expired',
      message: 'GET /api/v1/configmaps: too old resource version: 5 (9) (410 Expired)',
    });
  });

  test.each([
    ['no JSON', '{"type":\n'],
    ['null', 'null\n'],
    ['an unknown type', line('RENAMED', object('x', '6'))],
    ['an object without a resourceVersion', line('ADDED', { metadata: { name: 'x' } })],
    ['an event without an object', '{"type":"ADDED"}\n'],
  ])('throws for a malformed event: %s', async (_, text) => {
    stream((response) => response.end(text));
    await expect(watch()).rejects.toMatchObject({ type: 'Transient', reason: 'MalformedResponse' });
  });

  test('distinguishes a stream that breaks from a stream that ends', async () => {
    stream((response) => {
      response.write(line('ADDED', object('x', '6')));
      response.socket?.resetAndDestroy();
    });
    await expect(watch()).rejects.toMatchObject({ type: 'Transient', reason: 'ConnectionLost' });
  });

  test('throws for a refusal without repeating the request', async () => {
    await expect(watch()).rejects.toMatchObject({ code: 500, type: 'Transient' });
    expect(api.requests).toHaveLength(1);
  });

  test('throws if the server does not open the stream', async () => {
    api.answer(() => undefined);
    const opened = watch().catch((error: unknown) => error);
    await until(() => api.requests.length === 1);
    await clock.advance(30_000);
    expect(await opened).toMatchObject({ type: 'Transient', reason: 'Timeout' });
  });

  test('has no time limit for an open stream, and leaves no timer', async () => {
    let end: (() => void) | undefined;
    stream((response) => {
      response.write(line('ADDED', object('x', '6')));
      end = () => response.end();
    });
    const events = watch({ timeoutMs: 10 });
    await until(() => end !== undefined && clock.pendingTimers === 0);
    await clock.advance(3_600_000);
    end?.();
    expect(await events).toHaveLength(1);
  });
});
