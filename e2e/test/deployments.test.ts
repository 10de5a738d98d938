import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { GitOpsResponderConfig } from '@interlock/api';
import { fleetManifests, locateHelm, type FleetManifests } from '@interlock/charts';
import { Deployment, Namespace, Pod, ServiceAccount } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import {
  apps,
  createDeploymentFleet,
  startEmbeddedCluster,
  startPlatform,
  type EmbeddedPlatform,
  type Fleet,
} from '@interlock/stack';
import { processesWith } from './support/program.js';
import {
  connectFromPod,
  createProxyTenant,
  installProxy,
  scriptImages,
  startEcho,
} from './support/proxy-pods.js';
import { needsEmbedded, skipFor, tenantName } from './support/test-cluster.js';

const timeoutMs = 300_000;
let folder: string;
let platform: EmbeddedPlatform;
let manifests: FleetManifests['manifests'];
let fleet: Fleet;

needsEmbedded('pods run the bundles of this machine', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'interlock-e2e-deployments-'));
    platform = await startPlatform({}, () => startEmbeddedCluster({ runsPods: true, images: scriptImages }));
    ({ manifests } = await fleetManifests(new URL(platform.forge.url).host));
    fleet = await fleetOf(manifests);
    const { config: namespace } = platform.cluster.namespaces;
    const spec = { routes: [{ provider: { kind: 'noop', repository: 'example/clusters' } }] };
    const metadata = { namespace, name: 'default' };
    await platform.client.apply(GitOpsResponderConfig, { metadata, spec }, { fieldManager: 'e2e' });
    await fleet.start();
  }, timeoutMs);
  afterAll(async () => {
    await fleet.close();
    await platform.close();
    await rm(folder, { recursive: true, force: true });
  }, timeoutMs);

  test.each(apps)('%s runs as an available Deployment with the probes of its chart', async (app) => {
    const { spec, status } = await platform.client.get(Deployment, key(app));
    expect(status).toMatchObject({ availableReplicas: 1, readyReplicas: 1, updatedReplicas: 1 });
    expect(spec?.template.spec).toMatchObject({
      serviceAccountName: app,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          image: `interlock/${app}:0.1.0`,
          livenessProbe: { httpGet: { path: '/healthz' } },
          readinessProbe: { httpGet: { path: '/readyz' } },
          securityContext: { readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
        },
      ],
    });
    expect(await fleet.metrics(app)).toContain('leader_election_master_status');
    expect(await fleet.log(app)).toContain(`"component":"${app}"`);
  });

  test.each(apps)('the service account of %s has exactly the permissions of its chart', async (app) => {
    expect(await platform.client.get(ServiceAccount, key(app))).toBeDefined();
    const may = (verb: string, group: string, resource: string, namespace?: string) =>
      isAllowed(app, { verb, group, resource, namespace });
    expect(await may('update', 'coordination.k8s.io', 'leases', key(app).namespace)).toBe(true);
    expect(await may('update', 'coordination.k8s.io', 'leases', 'default')).toBe(false);
    expect(await may('list', '', 'secrets')).toBe(false);
    expect(await may('*', '*', '*')).toBe(false);
  });

  test(
    'an app that exits is reported, and its container restarts',
    async () => {
      const ended: string[] = [];
      const print = () => undefined;
      const stop = fleet.supervise({ restarts: 0, print, onFailure: ({ message }) => ended.push(message) });
      const { pod, pid } = await processOf('commit-status-sync');
      process.kill(pid, 'SIGKILL');
      await eventually(() => expect(ended).toHaveLength(1), timeoutMs);
      expect(ended[0]).toContain(`commit-status-sync in pod ${pod.metadata.name} ended with exit code 137: `);
      stop();
      await eventually(async () => expect(await fleet.ready('commit-status-sync')).toBe(true), timeoutMs);
    },
    timeoutMs,
  );

  test(
    'a missing image is reported as a failure with its reason',
    async () => {
      const broken = await fleetOf(changed('"interlock/promoter:0.1.0"', '"interlock/none:0.1.0"'));
      await expect(broken.start()).rejects.toThrow(
        /^Deployment interlock-system\/promoter is not available: container promoter waits: ImagePullBackOff \(.*interlock\/none:0.1.0.*; last warning: /,
      );
      await broken.close();
      await fleet.start();
      expect(await fleet.ready('promoter')).toBe(true);
    },
    timeoutMs,
  );

  test(
    'an invalid flag of an app is reported as a failure with the log of the app',
    async () => {
      const broken = await fleetOf(changed('--poll-interval=60s', '--poll-interval=soon'));
      await expect(broken.start()).rejects.toThrow(
        /^Deployment interlock-system\/promoter is not available: container promoter waits: CrashLoopBackOff .*, ended with exit code 2; [^]*end of the log:\n.*poll-interval/,
      );
      await broken.close();
      await fleet.start();
    },
    timeoutMs,
  );

  test(
    'stops and starts again, and keeps the logs of the apps',
    async () => {
      await fleet.stop();
      const { namespace } = key('promoter');
      expect((await platform.client.list(Pod, { namespace })).items).toEqual([]);
      expect(await readFile(join(folder, 'promoter', 'log'), 'utf8')).toContain('"component":"promoter"');
      await fleet.start();
      expect(await fleet.ready('promoter')).toBe(true);
    },
    timeoutMs,
  );

  const helm = locateHelm();
  skipFor(helm === undefined ? 'there is no helm for this platform' : undefined, () => {
    test(
      'the egress proxy runs from its chart, and pods of its tenant reach the allowed hosts through its Service',
      async () => {
        const { client } = platform;
        const namespace = tenantName('proxy');
        const echo = await startEcho();
        try {
          await createProxyTenant(client, namespace);
          const pods = await installProxy(client, helm ?? '', namespace, echo.port);
          const ready = pods.map(({ status }) => fetch(`http://${status?.podIP}:8081/readyz`));
          expect((await Promise.all(ready)).map(({ status }) => status)).toEqual([200, 200]);
          const targets = [`127.0.0.1:${echo.port}`, `127.0.0.2:${echo.port}`, 'example.com:22'];
          expect(await connectFromPod(client, namespace, targets)).toEqual([
            { status: expect.stringMatching(/^HTTP\/1\.1 200/), echo: 'ping' },
            { status: expect.stringMatching(/^HTTP\/1\.1 403/), reason: 'HostNotAllowed' },
            { status: expect.stringMatching(/^HTTP\/1\.1 403/), reason: 'PortNotAllowed' },
          ]);
        } finally {
          await client.delete(Namespace, { name: namespace });
          await echo.close();
        }
      },
      timeoutMs,
    );
  });
});

const key = (app: string) => ({ namespace: platform.cluster.namespaces.system, name: app });

function fleetOf(of: FleetManifests['manifests']): Promise<Fleet> {
  const { client, cluster } = platform;
  return createDeploymentFleet({ client, namespaces: cluster.namespaces, folder, manifests: of });
}

/** Returns the manifests after replacing a text in the manifests of the promoter. */
function changed(text: string, other: string): FleetManifests['manifests'] {
  const before = JSON.stringify(manifests.get('promoter'));
  expect(before).toContain(text);
  return new Map([...manifests, ['promoter', JSON.parse(before.replaceAll(text, other))]]);
}

async function isAllowed(app: string, resourceAttributes: object): Promise<boolean> {
  const review = await platform.client.raw<{ status: { allowed: boolean } }>({
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: { user: `system:serviceaccount:${key(app).namespace}:${app}`, resourceAttributes },
    },
  });
  return review.status.allowed;
}

/** Returns the pod of an app and the first process of its container. */
async function processOf(app: string): Promise<{ pod: Pod; pid: number }> {
  const { items } = await platform.client.list(Pod, {
    namespace: key(app).namespace,
    labelSelector: `app.kubernetes.io/name=${app}`,
  });
  const [pod] = items;
  const lines = await processesWith(`INTERLOCK_POD_IP=${pod?.status?.podIP ?? ''}`);
  const pid = Number(
    lines
      .find((line) => line.includes(`apps/${app}/dist/main.mjs`))
      ?.trim()
      .split(' ')[0],
  );
  if (pod === undefined || !(pid > 0)) throw new Error(`${app} has no process: ${lines.join('\n')}`);
  return { pod, pid };
}
