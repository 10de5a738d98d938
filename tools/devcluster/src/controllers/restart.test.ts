import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { objectsAt } from '../object.js';
import { startDevCluster } from '../index.js';
import { TestClient } from '../testing/client.js';
import { deploymentsPath, job, jobsPath, podsPath, replicated } from '../testing/workloads.js';

let dataDir: string;
beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'workloads-'));
});
afterAll(() => rmSync(dataDir, { recursive: true }));

describe('The controllers of workloads', () => {
  it('continue after a restart with the stored objects', async () => {
    const first = await startDevCluster({ dataDir });
    const before = new TestClient(first);
    await before.call('POST', jobsPath, { body: job('sum', { suspend: true }) });
    const created = before.call('POST', deploymentsPath, {
      body: replicated('Deployment', 'web', { replicas: 50 }),
    });
    expect((await created).status).toBe(201);
    await before.close();
    await first.close();

    const second = await startDevCluster({ dataDir });
    const client = new TestClient(second);
    try {
      const pods = async (): Promise<number> =>
        objectsAt((await client.call('GET', podsPath)).body, 'items').length;
      let count = 0;
      for (let call = 0; call < 1000 && count < 50; call += 1) count = await pods();
      expect(count).toBe(50);
      await client.call('PATCH', `${jobsPath}/sum`, {
        contentType: 'application/merge-patch+json',
        body: { spec: { suspend: false } },
      });
      for (let call = 0; call < 1000 && count < 51; call += 1) count = await pods();
      expect(count).toBe(51);
    } finally {
      await client.close();
      await second.close();
    }
  });
});
