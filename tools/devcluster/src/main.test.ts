import { once } from 'node:events';
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import { parse } from 'yaml';
import { workerPlugin } from '../../bundle/worker-source.mjs';
import { TestClient } from './testing/client.js';
import { configMap } from './testing/harness.js';

const cms = '/api/v1/namespaces/default/configmaps';

let folder: string;
const children = new Set<ChildProcess>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'devcluster-'));
  const require = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`;
  await build({
    entryPoints: [new URL('./main.ts', import.meta.url).pathname],
    outfile: join(folder, 'main.mjs'),
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    banner: { js: require },
    plugins: [workerPlugin()],
    logLevel: 'silent',
  });
});
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

interface Kubeconfig {
  clusters: { cluster: { server: string; 'certificate-authority-data': string } }[];
  users: { user: { token: string } }[];
}

/** Starts the process and waits until it serves. */
async function start(...flags: string[]): Promise<{ child: ChildProcess; client: TestClient }> {
  const child = spawn(
    process.execPath,
    [join(folder, 'main.mjs'), '--kubeconfig', join(folder, 'kubeconfig'), ...flags],
    {
      env: {},
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  children.add(child);
  await once(child.stdout, 'data');
  const config = parse(readFileSync(join(folder, 'kubeconfig'), 'utf8')) as Kubeconfig;
  const [cluster] = config.clusters;
  const client = new TestClient({
    url: cluster?.cluster.server ?? '',
    caCert: Buffer.from(cluster?.cluster['certificate-authority-data'] ?? '', 'base64').toString(),
    adminToken: config.users[0]?.user.token ?? '',
  });
  return { child, client };
}

describe('the process', () => {
  it('loses no acknowledged write when it is killed, and clients continue', async () => {
    const data = ['--data-dir', join(folder, 'data')];
    const first = await start(...data);
    const names = Array.from({ length: 200 }, (_, n) => `c${String(n)}`);
    const killed = once(first.child, 'exit');
    let answered = 0;
    const writes = names.map(async (name) => {
      const { status } = await first.client.call('POST', cms, { body: configMap(name) });
      if (status === 201) {
        answered += 1;
        if (answered === 100) first.child.kill('SIGKILL');
        return name;
      }
      return undefined;
    });
    const settled = await Promise.allSettled(writes);
    await killed;
    const kept = settled.flatMap((one) =>
      one.status === 'fulfilled' && one.value !== undefined ? [one.value] : [],
    );
    expect(kept.length).toBeGreaterThanOrEqual(100);
    const before = readFileSync(join(folder, 'kubeconfig'), 'utf8');

    const second = await start(
      ...data,
      '--port',
      new URL((parse(before) as Kubeconfig).clusters[0]?.cluster.server ?? '').port,
    );
    expect(readFileSync(join(folder, 'kubeconfig'), 'utf8')).toBe(before);
    for (const name of kept)
      expect([name, (await second.client.call('GET', `${cms}/${name}`)).status]).toEqual([name, 200]);
    const ended = once(second.child, 'exit');
    second.child.kill('SIGTERM');
    expect((await ended)[0]).toBe(0);
    expect(statSync(join(folder, 'data', 'log.ndjson')).size).toBe(0);
    await Promise.all([first.client.close(), second.client.close()]);
  });

  it('leaves no files without a data folder', async () => {
    const { child, client } = await start();
    expect((await client.call('GET', '/readyz')).text).toBe('ok');
    expect(statSync(join(folder, 'kubeconfig')).mode & 0o077).toBe(0);
    const ended = once(child, 'exit');
    child.kill('SIGINT');
    expect((await ended)[0]).toBe(0);
    expect(existsSync(join(folder, 'snapshot.ndjson'))).toBe(false);
    await client.close();
  });
});
