import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Readable } from 'node:stream';
import { StubApi, type StubRequest } from '../testing/stub-api.js';
import { createClient } from './client.js';
import { ConfigMap } from './kinds.js';
import type { Client } from './types.js';

const mebibyte = 1024 * 1024;
/** A tenant can create any number of objects of this size. */
const text = 'x'.repeat(mebibyte);

let count: number;
let api: StubApi;
let client: Client;
beforeEach(async () => {
  api = await StubApi.start(({ query }, response) => {
    if (query.get('limit') === '0') {
      Readable.from(Array.from({ length: 257 }, () => text)).pipe(response);
      return;
    }
    const from = Number(query.get('continue') ?? 0);
    const to = Math.min(from + Number(query.get('limit')), count);
    const metadata = { resourceVersion: '9', ...(to < count && { continue: String(to) }) };
    const items = Array.from({ length: to - from }, (_, index) => ({
      metadata: { name: `n${from + index}` },
      data: { text },
    }));
    response.end(JSON.stringify({ metadata, items }));
  });
  client = createClient({
    kubeConfig: api.kubeConfig({ token: 'secret' }),
    userAgent: 'test',
    defaultFieldManager: 'test',
    random: () => 0,
  });
});
afterEach(async () => {
  await client.close();
  await api.close();
});

const limitOf = ({ query }: StubRequest) => Number(query.get('limit'));

describe('a list of large objects', () => {
  test('is read in pages of which each fits into memory', async () => {
    count = 40;
    const names: string[] = [];
    for await (const { items } of client.listPages(ConfigMap))
      names.push(...items.map(({ metadata }) => metadata.name));
    expect(names).toEqual(Array.from({ length: count }, (_, index) => `n${index}`));
    expect(api.requests.map(limitOf)).toEqual([500, 125, 32, 8, 16, 32]);
  });

  test('is read in pages if it is too large to be read at once', async () => {
    count = 3;
    expect((await client.list(ConfigMap, { limit: 0 })).items).toHaveLength(count);
    expect(api.requests.map(limitOf)).toEqual([0, 500]);
  });
});
