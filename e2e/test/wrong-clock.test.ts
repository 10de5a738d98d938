import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Secret, type Client } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import {
  AppProcess,
  ensureNamespace,
  installCustomResources,
  installIdentity,
  writeAppKubeconfig,
  type Cluster,
} from '@interlock/stack';
import { installGmcIdentity } from './support/gmc.js';
import { namespaces, openTestCluster } from './support/test-cluster.js';

const timeoutMs = 60_000;
const dayMs = 24 * 60 * 60 * 1000;

let cluster: Cluster;
let client: Client;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wrong-clock-'));
  cluster = await openTestCluster();
  client = cluster.connect('e2e');
  await installCustomResources(client);
  for (const name of [namespaces.system, namespaces.config]) await ensureNamespace(client, name);
  await installGmcIdentity(client);
  await installIdentity(client, 'gate-controller', namespaces);
}, timeoutMs);
afterAll(async () => {
  await client.close();
  await cluster.close();
  await rm(folder, { recursive: true });
});

/** Returns the options of Node.js that set the clock of a process ahead. */
function aheadBy(ms: number): string {
  const program = `const now = Date.now; Date.now = () => now() + ${ms};`;
  return `--import=data:text/javascript,${encodeURIComponent(program)}`;
}

/* The API server verifies the certificate of a webhook by its own clock. */
test.each([
  ['gmc', ['--agc-image=agc', '--proxy-image=proxy', '--image-references=any', '--github-meta-url=none']],
  ['gate-controller', ['--gates-bind-address=0']],
])(
  '%s issues certificates that are valid at the API server although its own clock is three days ahead',
  async (app, args) => {
    const kubeconfig = join(folder, `kubeconfig-${app}`);
    await writeAppKubeconfig(client, cluster.admin, { namespace: namespaces.system, name: app }, kubeconfig);
    const process = new AppProcess({
      app,
      logFile: join(folder, `log-${app}`),
      env: { NODE_OPTIONS: aheadBy(3 * dayMs) },
      args: [
        ...[`--kubeconfig=${kubeconfig}`, `--namespace=${namespaces.system}`, '--leader-elect=false'],
        ...['--metrics-bind-address=0', '--health-probe-bind-address=0'],
        ...['--admission-bind-address=127.0.0.1:0', ...args],
      ],
    });
    process.start();
    try {
      const { data = {} } = await eventually(
        () => client.get(Secret, { namespace: namespaces.system, name: `${app}-admission` }),
        timeoutMs,
      );
      for (const key of ['ca.crt', 'tls.crt']) {
        const { validFrom } = new X509Certificate(Buffer.from(data[key] ?? '', 'base64'));
        expect(Date.parse(validFrom)).toBeLessThan(Date.now());
      }
    } finally {
      await process.stop();
    }
  },
  2 * timeoutMs,
);
