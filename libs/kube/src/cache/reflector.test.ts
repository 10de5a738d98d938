import { silentLog } from '@interlock/base';
import { FakeClock } from '@interlock/base/testing';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import { createClient } from '../client/client.js';
import { ConfigMap } from '../client/kinds.js';
import type { Client } from '../client/types.js';
import { sendJson, sendStatus, StubApi, type StubRequest } from '../testing/stub-api.js';
import { until } from '../testing/until.js';
import { createCache } from './cache.js';
import { idleTimeoutMs } from './reflector.js';
import type { Cache, CacheEvent } from './types.js';

type Version = [name: string, resourceVersion: string, uid?: string];

let api: StubApi;
let client: Client;
let clock: FakeClock;
let cache: Cache<ConfigMap>;
let ran: Promise<void>;
let stop: AbortController;
/** The answer to the next list. */
let listed: { versions: Version[]; resourceVersion: string };
/** All watches, open or ended. */
let watches: { request: StubRequest; response: ServerResponse }[];
let events: string[];
let ends: string[];
let random = 0;

const object = ([name, resourceVersion, uid = `uid-${name}`]: Version) => ({
  metadata: { name, namespace: 'a', resourceVersion, uid },
});
const lists = () => api.requests.filter(({ query }) => !query.has('watch')).length;
const watch = () => watches.at(-1)!;
const positions = () => watches.map(({ request }) => request.query.get('resourceVersion'));

function send(type: string, version: Version): void {
  watch().response.write(`${JSON.stringify({ type, object: object(version) })}\n`);
}

function sendBookmark(resourceVersion: string): void {
  watch().response.write(
    `${JSON.stringify({ type: 'BOOKMARK', object: { metadata: { resourceVersion } } })}\n`,
  );
}

const describeEvent = (event: CacheEvent<ConfigMap>) =>
  `${event.type} ${event.object.metadata.name}@${event.object.metadata.resourceVersion}` +
  (event.type === 'updated' ? ` was ${event.old.metadata.resourceVersion}` : '');

beforeEach(async () => {
  [clock, events, watches, ends, random] = [new FakeClock(), [], [], [], 0];
  listed = { versions: [['x', '1']], resourceVersion: '10' };
  api = await StubApi.start((request, response) => {
    if (request.query.has('watch')) {
      watches.push({ request, response });
      response.writeHead(200).flushHeaders();
      return;
    }
    const { resourceVersion, versions } = listed;
    sendJson(response, 200, { metadata: { resourceVersion }, items: versions.map(object) });
  });
  client = createClient({
    kubeConfig: api.kubeConfig(),
    userAgent: 't',
    defaultFieldManager: 't',
    clock,
    random: () => 0,
  });
  const metrics = { listed: () => undefined, watched: (_kind: string, end: string) => void ends.push(end) };
  cache = createCache(client, ConfigMap, {}, { clock, random: () => random, log: silentLog, metrics });
  cache.subscribe((event) => events.push(describeEvent(event)));
  stop = new AbortController();
  ran = cache.run(stop.signal);
  await until(() => watches.length === 1);
});
afterEach(async () => {
  stop.abort();
  await ran;
  expect(clock.pendingTimers).toBe(0);
  await client.close();
  await api.close();
});

describe('a reflector', () => {
  test('watches from the version of the list for five to ten minutes', async () => {
    expect(watch().request.query.get('resourceVersion')).toBe('10');
    expect(watch().request.query.get('timeoutSeconds')).toBe('300');
    send('MODIFIED', ['x', '11']);
    random = 1;
    watch().response.end();
    await until(() => watches.length === 2);
    expect(watch().request.query.get('timeoutSeconds')).toBe('600');
    expect(events).toEqual(['added x@1', 'updated x@11 was 1']);
  });

  test('continues after the last event or bookmark without a list', async () => {
    send('ADDED', ['y', 'eleven']);
    await until(() => cache.get({ namespace: 'a', name: 'y' }) !== undefined);
    watch().response.end();
    await until(() => watches.length === 2);
    await clock.advance(1000);
    sendBookmark('a-dozen');
    watch().response.end();
    await until(() => watches.length === 3);
    expect(positions()).toEqual(['10', 'eleven', 'a-dozen']);
    expect(lists()).toBe(1);
    expect(ends).toEqual(['closed', 'closed']);
  });

  test('continues after the last event when the connection breaks', async () => {
    send('DELETED', ['x', '12']);
    await until(() => events.length === 2);
    watch().response.socket?.resetAndDestroy();
    await until(() => clock.pendingTimers === 1);
    await clock.advance(0);
    await until(() => watches.length === 2);
    expect(positions()).toEqual(['10', '12']);
    expect(lists()).toBe(1);
    expect(ends).toEqual(['failed']);
  });

  test('does not wait longer and longer when each connection breaks after a second', async () => {
    random = 1;
    for (let count = 1; count <= 5; count++) {
      await until(() => watches.length === count);
      await clock.advance(1_000);
      watch().response.socket?.resetAndDestroy();
      await until(() => ends.length === count);
      await until(() => clock.pendingTimers === 1);
      await clock.advance(800);
    }
    await until(() => watches.length === 6);
    expect(lists()).toBe(1);
  });

  test('ends a silent watch and continues from the same position, and treats a bookmark as activity', async () => {
    await clock.advance(idleTimeoutMs - 1);
    sendBookmark('11');
    await until(() => cache.progress.heardAt === clock.now());
    await clock.advance(idleTimeoutMs - 1);
    expect(watches).toHaveLength(1);
    await clock.advance(1);
    await until(() => watches.length === 2);
    expect(positions()).toEqual(['10', '11']);
    expect(ends).toEqual(['idle']);
    expect(lists()).toBe(1);
  });

  test('lists again after two consecutive silent watches, as after the restore of an older backup', async () => {
    listed = { versions: [['y', '3']], resourceVersion: '4' };
    await clock.advance(idleTimeoutMs);
    await until(() => watches.length === 2);
    expect(lists()).toBe(1);
    await clock.advance(idleTimeoutMs);
    await until(() => watches.length === 3);
    expect(positions()).toEqual(['10', '10', '4']);
    expect(lists()).toBe(2);
    expect(events).toEqual(['added x@1', 'deleted x@1', 'added y@3']);
    send('ADDED', ['z', '5']);
    await until(() => events.length === 4);
    expect(ends).toEqual(['idle', 'idle']);
  });

  test('lists again after the same time when the server ends silent watches', async () => {
    const quarter = idleTimeoutMs / 2;
    for (let ended = 1; ended <= 4; ended++) {
      expect(lists()).toBe(1);
      await clock.advance(quarter);
      watch().response.end();
      await until(() => watches.length === ended + 1);
    }
    expect(lists()).toBe(2);
    expect(ends).toEqual(['closed', 'closed', 'closed', 'closed']);
  });

  test('lists again after the same time when a load balancer cuts silent watches', async () => {
    const quarter = idleTimeoutMs / 2;
    for (let cut = 1; cut <= 4; cut++) {
      expect(lists()).toBe(1);
      await clock.advance(quarter);
      watch().response.socket?.resetAndDestroy();
      await until(() => ends.length === cut && clock.pendingTimers === 1);
      await clock.advance(0);
      await until(() => watches.length === cut + 1);
    }
    expect(lists()).toBe(2);
    expect(ends).toEqual(['failed', 'failed', 'failed', 'failed']);
  });

  test('does not list again after a silence that a bookmark ended', async () => {
    await clock.advance(idleTimeoutMs);
    await until(() => watches.length === 2);
    sendBookmark('11');
    await until(() => cache.progress.heardAt === clock.now());
    await clock.advance(idleTimeoutMs);
    await until(() => watches.length === 3);
    expect(positions()).toEqual(['10', '10', '11']);
    expect(lists()).toBe(1);
  });

  test('ends a watch that does not open', async () => {
    api.answer((request) => void watches.push({ request, response: watch().response }));
    send('MODIFIED', ['x', '11']);
    watches[0]!.response.end();
    await until(() => watches.length === 2);
    await clock.advance(30_000);
    await until(() => clock.pendingTimers === 2 && watches.length === 3);
    expect(positions()).toEqual(['10', '11', '11']);
  });
});

describe('a reflector that loses its position', () => {
  async function relistAfter(end: () => void): Promise<void> {
    end();
    await until(() => ends.length === 1);
    await clock.advance(0);
    await until(() => watches.length === 2);
  }
  const expired = {
    type: 'ERROR',
    object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' },
  };

  test('lists again after a 410 in the stream, and reports the missed changes', async () => {
    listed = {
      versions: [
        ['x', '1'],
        ['y', '2'],
        ['z', '3'],
      ],
      resourceVersion: '10',
    };
    send('ADDED', ['y', '2']);
    send('ADDED', ['z', '3']);
    await until(() => events.length === 3);
    events.length = 0;
    listed = {
      versions: [
        ['y', '15'],
        ['z', '3'],
        ['n', '16'],
      ],
      resourceVersion: '20',
    };
    await relistAfter(() => watch().response.end(`${JSON.stringify(expired)}\n`));
    expect(events).toEqual(['deleted x@1', 'updated y@15 was 2', 'added n@16']);
    expect(positions()).toEqual(['10', '20']);
    expect(ends).toEqual(['expired']);
  });

  test('lists again after a watch is answered with 410', async () => {
    listed = { versions: [], resourceVersion: '20' };
    let refused = false;
    const serve = (request: StubRequest, response: ServerResponse) => {
      watches.push({ request, response });
      response.writeHead(200).flushHeaders();
    };
    api.answer((request, response) => {
      if (!request.query.has('watch'))
        sendJson(response, 200, { metadata: { resourceVersion: '20' }, items: [] });
      else if (refused) serve(request, response);
      else sendStatus(response, ((refused = true), 410), 'Gone');
    });
    send('MODIFIED', ['x', '11']);
    watch().response.end();
    await until(() => ends.length === 2);
    await clock.advance(0);
    await until(() => watches.length === 2);
    expect(events).toEqual(['added x@1', 'updated x@11 was 1', 'deleted x@11']);
  });

  test('lists all objects at once after the continue token of a list has expired', async () => {
    const limits: (string | null)[] = [];
    api.answer((request, response) => {
      const { query } = request;
      if (query.has('watch')) {
        watches.push({ request, response });
        response.writeHead(200).flushHeaders();
      } else if (query.has('continue')) {
        sendStatus(response, 410, 'Expired');
      } else {
        limits.push(query.get('limit'));
        const more = query.get('limit') === '0' ? {} : { continue: 'more' };
        sendJson(response, 200, { metadata: { resourceVersion: '20', ...more }, items: [] });
      }
    });
    watch().response.end(`${JSON.stringify(expired)}\n`);
    await until(async () => {
      await clock.advance(0);
      return watches.length === 2 || limits.length > 2;
    });
    expect([limits, positions()]).toEqual([
      ['500', '0'],
      ['10', '20'],
    ]);
  });

  test('lists page by page again after a list of all objects at once has failed', async () => {
    const limits: (string | null)[] = [];
    api.answer((request, response) => {
      const { query } = request;
      if (query.has('watch')) {
        watches.push({ request, response });
        response.writeHead(200).flushHeaders();
      } else if (query.has('continue')) {
        if (limits.length > 1) sendJson(response, 200, { metadata: { resourceVersion: '20' }, items: [] });
        else sendStatus(response, 410, 'Expired');
      } else {
        limits.push(query.get('limit'));
        /* Such as an answer that is too large for the client or for the time limit. */
        if (query.get('limit') === '0') response.end('{"items":[');
        else sendJson(response, 200, { metadata: { resourceVersion: '20', continue: 'more' }, items: [] });
      }
    });
    random = 0.1;
    watch().response.end(`${JSON.stringify(expired)}\n`);
    await until(async () => {
      await clock.advance(1_000);
      return watches.length === 2 || limits.length > 3;
    });
    expect([limits, positions()]).toEqual([
      ['500', '0', '500'],
      ['10', '20'],
    ]);
  });

  test('reports a recreated object as deleted and added', async () => {
    listed = { versions: [['x', '15', 'other']], resourceVersion: '20' };
    await relistAfter(() => watch().response.end(`${JSON.stringify(expired)}\n`));
    expect(events).toEqual(['added x@1', 'deleted x@1', 'added x@15']);
  });

  /** Makes `times` watches fail with `fail`, while lists are empty. Returns the number of failures. */
  function failWatches(times: number, fail: (response: ServerResponse) => void): () => number {
    let failed = 0;
    api.answer((request, response) => {
      if (!request.query.has('watch')) {
        sendJson(response, 200, { metadata: { resourceVersion: '20' }, items: [] });
      } else if (failed < times && request.query.get('resourceVersion') === '10') {
        failed++;
        fail(response);
      } else {
        watches.push({ request, response });
        response.writeHead(200).flushHeaders();
      }
    });
    watch().response.socket?.resetAndDestroy();
    return () => failed;
  }
  const untilWatching = () =>
    until(async () => {
      await clock.advance(0);
      return watches.length === 2;
    });

  test('gives up a position that is refused repeatedly', async () => {
    const failed = failWatches(10, (response) => sendStatus(response, 500, 'InternalError'));
    await untilWatching();
    expect(failed()).toBe(5);
    expect(events).toEqual(['added x@1', 'deleted x@1']);
    expect(positions()).toEqual(['10', '20']);
  });

  test.each([
    ['away', (response: ServerResponse) => void response.socket?.resetAndDestroy()],
    ['overloaded', (response: ServerResponse) => sendStatus(response, 429, 'TooManyRequests')],
    ['starting', (response: ServerResponse) => sendStatus(response, 503, 'ServiceUnavailable')],
  ])('keeps the position, however long the server is %s', async (_, fail) => {
    const failed = failWatches(10, fail);
    await untilWatching();
    expect(failed()).toBe(10);
    expect(lists()).toBe(1);
    expect(positions()).toEqual(['10', '10']);
  });
});

describe('a reflector after failures', () => {
  const line = (type: string, resourceVersion: string) =>
    `${JSON.stringify({ type, object: object(['x', resourceVersion]) })}\n`;

  test.each([
    ['at once', ''],
    ['after a bookmark of the same version', line('BOOKMARK', '10')],
    ['after an event of the same version', line('MODIFIED', '10')],
    ['after events up to the same version', line('MODIFIED', '9') + line('MODIFIED', '10')],
  ])('does not flood a server that ends each watch %s', async (_, body) => {
    random = 0.5;
    api.answer((request, response) => {
      watches.push({ request, response });
      response.writeHead(200).end(body);
    });
    watch().response.end(body);
    await until(() => clock.pendingTimers === 1);
    await clock.advance(399);
    expect(watches).toHaveLength(1);
    await clock.advance(1);
    await until(() => watches.length === 2 && clock.pendingTimers === 1);
    await clock.advance(799);
    expect(watches).toHaveLength(2);
    await clock.advance(1);
    await until(() => watches.length === 3);
    expect(lists()).toBe(1);
  });

  test('does not flood a server that ends each watch after a bookmark, and continues from its version', async () => {
    random = 0.5;
    let version = 10;
    const end = (response: ServerResponse): void => {
      version++;
      response.end(line('BOOKMARK', String(version)));
    };
    api.answer((request, response) => {
      watches.push({ request, response });
      end(response.writeHead(200));
    });
    end(watch().response);
    await until(() => clock.pendingTimers === 1);
    await clock.advance(399);
    expect(watches).toHaveLength(1);
    await clock.advance(1);
    await until(() => watches.length === 2);
    expect(watch().request.query.get('resourceVersion')).toBe('11');
    expect(lists()).toBe(1);
  });

  test('continues at once after a short watch with a change', async () => {
    random = 0.5;
    watch().response.end(line('MODIFIED', '11'));
    await until(() => watches.length === 2);
    expect(watch().request.query.get('resourceVersion')).toBe('11');
  });

  test.each([
    ['waits for as long as an overloaded server asks', '20', 20_000],
    ['does not stay away from a server that asks for more than a minute', '86400', 60_000],
  ])('%s', async (_, retryAfter, expectedMs) => {
    let refusals = 0;
    api.answer((request, response) => {
      if (refusals++ === 0) sendJson(response, 429, {}, { 'retry-after': retryAfter });
      else {
        watches.push({ request, response });
        response.writeHead(200).flushHeaders();
      }
    });
    send('MODIFIED', ['x', '11']);
    watch().response.end();
    await until(() => ends.length === 2 && clock.pendingTimers === 1);
    await clock.advance(expectedMs - 1);
    expect(refusals).toBe(1);
    await clock.advance(1);
    await until(() => watches.length === 2);
    expect(positions()).toEqual(['10', '11']);
  });

  test('lists again within a second of a 410, although the server was away before it', async () => {
    random = 1;
    const statuses = [503, 503, 503, 503, 503, 410];
    api.answer((request, response) => {
      const status = request.query.has('watch') ? statuses.shift() : undefined;
      if (status !== undefined) return sendStatus(response, status, status === 410 ? 'Gone' : 'Unavailable');
      sendJson(response, 200, { metadata: { resourceVersion: '20' }, items: [] });
    });
    watch().response.socket?.resetAndDestroy();
    for (let count = 1; count <= 6; count++) {
      await until(() => ends.length === count && clock.pendingTimers === 1);
      await clock.advance(800 * 2 ** (count - 1));
    }
    await until(() => ends.length === 7 && clock.pendingTimers === 1);
    expect(ends.at(-1)).toBe('expired');
    await clock.advance(800);
    await until(() => lists() === 2);
  });

  test('repeats the watch from the version before a malformed event', async () => {
    watch().response.write('{"type":"MODIFIED","object":\n');
    await until(() => clock.pendingTimers === 1);
    await clock.advance(0);
    await until(() => watches.length === 2);
    send('MODIFIED', ['x', '11']);
    await until(() => events.length === 2);
    expect(positions()).toEqual(['10', '10']);
  });

  test('reports repeated states only once', async () => {
    send('ADDED', ['x', '1']);
    send('MODIFIED', ['x', '11']);
    send('MODIFIED', ['x', '11']);
    send('DELETED', ['unknown', '12']);
    send('DELETED', ['x', '13']);
    send('DELETED', ['x', '13']);
    send('ADDED', ['last', '14']);
    await until(() => events.includes('added last@14'));
    expect(events).toEqual(['added x@1', 'updated x@11 was 1', 'deleted x@13', 'added last@14']);
  });
});
