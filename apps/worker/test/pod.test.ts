import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  jobMayHaveStarted,
  parseWorkerReport,
  runnerContainer,
  workerCommand,
  workerConfigMapName,
  workerEnv,
  workerProgramFile,
  workerProgramFolder,
} from '@interlock/api';
import { startDevCluster, type DevCluster } from '@interlock/devcluster';
import { runnerImage } from '@interlock/runner-image';
import { canary, jobMessage } from './support/job-message.js';
import { PodClient, type WorkerPod } from './support/pod-client.js';
import { buildProgram } from './support/program.js';
import { RunServer } from './support/run-server.js';

const root = mkdtempSync(join(tmpdir(), 'worker-pod-'));
const server = new RunServer();
const script = buildProgram();
const configMap = workerConfigMapName(createHash('sha256').update(script).digest('hex'));
let cluster: DevCluster;
let client: PodClient;

beforeAll(async () => {
  await server.start();
  cluster = await startDevCluster({
    kubelets: [{ nodeName: 'isolated' }, { nodeName: 'plain', namespaces: false }],
    images: runnerImage({ folder: join(root, 'image') }),
  });
  client = new PodClient(cluster);
  await client.create('configmaps', {
    metadata: { name: configMap },
    immutable: true,
    data: { [workerProgramFile]: script },
  });
});
afterAll(async () => {
  await cluster.close();
  server.close();
  rmSync(root, { recursive: true });
});

async function createJob(name: string, nodeName: string, durationMs: number): Promise<void> {
  const payload = jobMessage(name, server.url, { 'interlock.test.durationMs': String(durationMs) });
  await client.create('secrets', { metadata: { name }, stringData: { payload } });
  const values: Record<string, string> = {
    [workerEnv.runnerName]: name,
    [workerEnv.runnerHome]: '/home/runner',
    [workerEnv.payloadFolder]: '/run/secrets/job-payload',
    [workerEnv.terminationMessage]: '/dev/termination-log',
  };
  const runner = {
    name: runnerContainer,
    image: 'ghcr.io/actions/actions-runner:2.335.1',
    command: workerCommand,
    env: Object.entries(values).map(([key, value]) => ({ name: key, value })),
    volumeMounts: [
      { name: 'program', mountPath: workerProgramFolder, readOnly: true },
      { name: 'payload', mountPath: '/run/secrets/job-payload', readOnly: true },
    ],
  };
  await client.create('pods', {
    /* The pod stays after its deletion, as its controller keeps it until it has read the end. */
    metadata: { name, finalizers: ['test.interlock.dev/read'] },
    spec: {
      nodeName,
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      containers: [runner],
      volumes: [
        { name: 'program', configMap: { name: configMap } },
        { name: 'payload', secret: { secretName: name, items: [{ key: 'payload', path: 'payload' }] } },
      ],
    },
  });
}

const endOf = (pod: WorkerPod) => pod.status?.containerStatuses?.[0]?.state?.terminated;

describe.each(['isolated', 'plain'])('a worker pod on the %s node', (node) => {
  it('runs its job, and leaves the result as its termination message', async () => {
    const name = `run-${node}`;
    await createJob(name, node, 1);
    expect((await server.call('/run/completejob', name)).body).toMatchObject({ conclusion: 'succeeded' });
    const pod = await client.until(name, (one) => endOf(one) !== undefined);
    expect(pod.status?.phase).toBe('Succeeded');
    expect(endOf(pod)).toMatchObject({ exitCode: 0 });
    expect(parseWorkerReport(endOf(pod)?.message)).toEqual({
      jobSent: true,
      exitCode: 100,
      result: 'succeeded',
    });
    expect(jobMayHaveStarted(pod)).toBe(true);
    const log = await client.log(name);
    expect(log).toContain(`Runner name: '${name}'`);
    expect(JSON.stringify(pod) + log).not.toContain(canary);
  });

  it('cancels its job when it is deleted', async () => {
    const name = `cancel-${node}`;
    await createJob(name, node, 60_000);
    await server.call('/results/started', name);
    await client.remove(name);
    expect((await server.call('/run/completejob', name)).body).toMatchObject({ conclusion: 'canceled' });
    const pod = await client.until(name, (one) => endOf(one) !== undefined);
    expect(endOf(pod)).toMatchObject({ exitCode: 103 });
    expect(parseWorkerReport(endOf(pod)?.message)).toMatchObject({ result: 'canceled' });
  });
});
