import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { Lease } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { fetch } from 'undici';
import { writeKubeconfigOf } from './testing/account.js';
import { openCluster, type TestCluster } from './testing/cluster.js';
import { readDockerfile, type Dockerfile } from './testing/dockerfile.js';
import {
  apps,
  describeWithHelm,
  workshopNamespace,
  only,
  openWorkshop,
  type Manifest,
  type Workshop,
} from './testing/workshop.js';

let cluster: TestCluster;
let workshop: Workshop;
let folder: string;
let child: ChildProcess | undefined;
beforeAll(async () => {
  cluster = await openCluster();
  workshop = await openWorkshop();
  await cluster.apply(await workshop.render('interlock-crds'));
});
afterAll(async () => {
  workshop.close();
  await cluster.close();
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'image-'));
});
afterEach(() => {
  child?.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

interface PodSpec {
  serviceAccountName: string;
  securityContext: { runAsUser: number; runAsGroup: number };
  containers: [
    {
      args: string[];
      env: { name: string; valueFrom: { fieldRef: { fieldPath: string } } }[];
      ports: { containerPort: number }[];
    },
  ];
}

const podSpecOf = (manifests: readonly Manifest[]): PodSpec =>
  (only(manifests, 'Deployment')['spec'] as { template: { spec: PodSpec } }).template.spec;

/** Starts the program of the image with the arguments of the chart, on free ports of the loopback interface. */
async function start(
  image: Dockerfile,
  pod: PodSpec,
): Promise<{ process: ChildProcess; probes: Promise<number> }> {
  image.unpack(folder);
  const program = join(folder, image.entrypoint.at(-1) ?? '');
  const [{ args, env }] = pod.containers;
  const here = args.map((arg) =>
    arg
      .replace(/^(--webhook-bind-address)=.*/, '$1=127.0.0.1:0')
      .replace(/^(--cache-dir)=.*/, `$1=${join(folder, 'cache')}`),
  );
  here.push('--metrics-bind-address=127.0.0.1:0', '--health-probe-bind-address=127.0.0.1:0');
  here.push(`--kubeconfig=${await writeKubeconfigOf(cluster, pod.serviceAccountName, folder)}`);
  const namespaces = env.filter(({ valueFrom }) => valueFrom.fieldRef.fieldPath === 'metadata.namespace');
  const started = spawn(process.execPath, [program, ...here], {
    env: {
      PATH: process.env['PATH'],
      ...Object.fromEntries(namespaces.map(({ name }) => [name, workshopNamespace])),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const probes = new Promise<number>((resolve, reject) => {
    const lines: string[] = [];
    createInterface(started.stdout).on('line', (line) => {
      lines.push(line);
      const { listener, port } = JSON.parse(line) as { listener?: string; port?: number };
      if (listener === 'probes' && port !== undefined) resolve(port);
    });
    started.once('exit', () => {
      reject(new Error(lines.slice(-3).join('\n')));
    });
  });
  return { process: started, probes };
}

/** Creates the objects that an app requires to become ready. */
const needed: Record<(typeof apps)[number], Manifest[]> = {
  promoter: [],
  'commit-status-sync': [],
  'gate-controller': [],
  'gitops-responder': [
    {
      apiVersion: 'security.ugallu.io/v1alpha1',
      kind: 'GitOpsResponderConfig',
      metadata: { name: 'default', namespace: workshopNamespace },
      spec: { routes: [{ provider: { kind: 'noop', repository: 'example/clusters' } }] },
    },
  ],
};

describeWithHelm.each(apps)('the image of %s', (app) => {
  it('contains only the bundle, its notices and its bill of materials', () => {
    readDockerfile(app).unpack(folder);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const papers = ['app/THIRD-PARTY-NOTICES.txt', 'app/sbom.cdx.json'];
    expect(files).toEqual(expect.arrayContaining(['app/main.mjs', ...papers]));
    const others = files.filter((file) => file !== 'app' && !papers.includes(file));
    expect(others.filter((file) => !/^app\/[\w.-]+\.mjs$/.test(file))).toEqual([]);
  });

  it('is based on an LTS release of Node.js that is pinned by digest', () => {
    expect(readDockerfile(app).base).toMatch(
      /^(gcr\.io\/distroless\/nodejs24-debian12:nonroot|node:24-bookworm-slim)@sha256:[0-9a-f]{64}$/,
    );
  });

  it('runs as the user of the chart and listens on its ports', async () => {
    const image = readDockerfile(app);
    const { securityContext, containers } = podSpecOf(await workshop.render(app));
    expect(image.user).toBe(`${String(securityContext.runAsUser)}:${String(securityContext.runAsGroup)}`);
    expect(image.ports).toEqual(containers[0].ports.map((port) => port.containerPort));
  });

  it('becomes ready and the leader with the arguments and permissions of the chart, and ends on SIGTERM', async () => {
    const manifests = await workshop.render(app);
    await cluster.apply([...manifests, ...needed[app]]);
    const started = await start(readDockerfile(app), podSpecOf(manifests));
    child = started.process;
    const port = await started.probes;
    await eventually(async () => {
      const answer = await fetch(`http://127.0.0.1:${String(port)}/readyz`);
      expect([answer.status, await answer.text()]).toEqual([200, expect.anything()]);
    });
    await eventually(async () => {
      const lease = await cluster.client.get(Lease, { namespace: workshopNamespace, name: app });
      expect(lease.spec?.holderIdentity).toContain(`-${String(child?.pid)}`);
    });
    const exit = once(started.process, 'exit');
    started.process.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
  });
});
