import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { annotations, CommitStatus, labels, SecurityEvent, type Kind } from '@interlock/api';
import { startDevCluster, type DevCluster } from '@interlock/devcluster';
import {
  ClusterRole,
  ConfigMap,
  createClient,
  CustomResourceDefinition,
  Namespace,
  type Client,
} from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { chartDefinitions } from '../fleet/definitions.js';
import { ensureNamespace, installCustomResources } from '../fleet/install.js';
import { cleanGivenCluster, openGivenCluster, type GivenCluster } from './given.js';
import { newRun, runNamespaces } from './ownership.js';
import { noNeeds } from './plan.js';

const { system, team } = runNamespaces;
const kinds: readonly Kind[] = [Namespace, ClusterRole, CustomResourceDefinition];
let folder: string;
let kubeconfig: string;
let server: DevCluster;
let admin: Client;
let lines: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'given-cluster-'));
  kubeconfig = join(folder, 'kubeconfig');
  server = await startDevCluster();
  server.writeKubeconfig(kubeconfig);
  admin = createClient({ kubeConfig: kubeconfig, userAgent: 'test', defaultFieldManager: 'another' });
  lines = [];
});
afterEach(async () => {
  await admin.close();
  await server.close();
  await rm(folder, { recursive: true });
});

const print = (line: string): void => void lines.push(line);
const { signal } = new AbortController();

function open(keeps = false, onLost: (error: Error) => void = () => undefined): Promise<GivenCluster> {
  return openGivenCluster({
    kubeconfig,
    webhookHost: 'localhost',
    needs: noNeeds,
    keeps,
    print,
    signal,
    onLost,
  });
}

/** Opens the cluster, and creates objects in it as a run does. Returns the problems when the cluster was closed. */
async function run(work: (client: Client) => Promise<void>, keeps = false): Promise<readonly string[]> {
  const cluster = await open(keeps);
  const client = cluster.connect('stack');
  try {
    await installCustomResources(client);
    await ensureNamespace(client, team);
    await work(client);
  } finally {
    await client.close();
    await cluster.close();
  }
  return cluster.problems;
}

async function everything(): Promise<string[]> {
  const lists = await Promise.all(kinds.map((kind) => admin.list(kind)));
  return lists.flatMap(({ items }) => items.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).sort();
}

const commitStatus = (namespace: string) => ({
  metadata: { namespace, name: 'unit', finalizers: ['demo.interlock.dev/never'] },
  spec: { repoRef: { name: 'r' }, sha: 'a'.repeat(40), name: 'unit', phase: 'success' },
});

async function takeOver(fields: Record<string, string>): Promise<void> {
  const { id, user } = newRun();
  await admin.create(Namespace, {
    metadata: {
      name: system,
      labels: { [labels.demoRun]: id },
      annotations: { [annotations.demoUser]: user, [annotations.demoState]: 'running', ...fields },
    },
  });
}

describe('a run in an existing cluster', () => {
  it('deletes everything that it created, including cluster-scoped objects and objects with finalizers', async () => {
    const before = await everything();
    const problems = await run(async (client) => {
      await client.apply(CommitStatus, commitStatus(team), { fieldManager: 'stack' });
      const spec = { class: 'Detection', type: 'Test', severity: 'high' };
      await client.apply(SecurityEvent, { metadata: { name: 'event' }, spec }, { fieldManager: 'stack' });
    });
    expect(problems).toEqual([]);
    expect(await everything()).toEqual(before);
    expect(lines.at(-1)).toBe('All objects of npm start are deleted from the cluster.');
  });

  it('prints the objects that it is going to create before it creates any of them', async () => {
    const names = (await chartDefinitions()).map(({ metadata }) => metadata.name);
    const cluster = await open();
    const text = lines.join('\n');
    for (const name of [...names, ...[system, team, server.url, 'devcluster', 'interlock-promoter']]) {
      expect(text).toContain(name);
    }
    await cluster.close();
  });

  it('refuses a namespace of another user with its name, the reason and the fix, and does not change it', async () => {
    const created = await admin.create(Namespace, { metadata: { name: team } });
    const before = await everything();
    await expect(open()).rejects.toThrow(
      `Namespace ${team} exists and was not created by npm start, but by the field manager another: ` +
        'delete it if nothing needs it, or use another cluster',
    );
    expect(await everything()).toEqual(before);
    expect(await admin.get(Namespace, { name: team })).toEqual(created);
  });

  it('refuses an installation of the charts, and names its release', async () => {
    const helm = { 'meta.helm.sh/release-name': 'interlock', 'meta.helm.sh/release-namespace': 'prod' };
    const metadata = { name: 'interlock-promoter', annotations: helm };
    await admin.create(ClusterRole, { metadata, rules: [] });
    const before = await everything();
    await expect(open()).rejects.toThrow(
      'ClusterRole interlock-promoter exists and was not created by npm start, but by the Helm release interlock of namespace prod',
    );
    expect(await everything()).toEqual(before);
  });

  it('uses identical CustomResourceDefinitions of another user, and does not delete them', async () => {
    await installCustomResources(admin);
    const before = await everything();
    const definitions = await admin.list(CustomResourceDefinition);
    expect(await run(() => Promise.resolve())).toEqual([]);
    expect(await everything()).toEqual(before);
    const after = await admin.list(CustomResourceDefinition);
    expect(after.items.map(({ spec }) => spec)).toEqual(definitions.items.map(({ spec }) => spec));
    expect(after.items.every(({ metadata }) => metadata.labels?.[labels.demoRun] === undefined)).toBe(true);
  });

  it('refuses a CustomResourceDefinition with another schema', async () => {
    await installCustomResources(admin);
    const name = 'commitstatuses.commit-status.argoproj.io';
    const other = [{ op: 'remove', path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec' }];
    await admin.patch(CustomResourceDefinition, { name }, { type: 'json', patch: other });
    await expect(open()).rejects.toThrow(new RegExp(`${name} exists .* with a schema that differs`));
  });

  it('refuses a cluster in which another user has objects that the apps would act on', async () => {
    await installCustomResources(admin);
    await admin.create(CommitStatus, commitStatus('default'));
    await expect(open()).rejects.toThrow(
      'the cluster has commitstatuses of other users, such as default/unit',
    );
  });

  it('does not delete a definition if another user has created an object of its kind, and reports it', async () => {
    const problems = await run(async () => {
      await admin.create(CommitStatus, commitStatus('default'));
    });
    expect(problems).toEqual([
      'CustomResourceDefinition commitstatuses.commit-status.argoproj.io stays, because another user has created default/unit',
    ]);
    expect((await admin.get(CommitStatus, { namespace: 'default', name: 'unit' })).metadata.name).toBe(
      'unit',
    );
  });

  it('tolerates a temporary failure of the API server', async () => {
    const before = await everything();
    const problems = await run(async (client) => {
      const hits: string[] = [];
      const end = server.faults.inject({
        when: ({ info }) => hits.push(info.verb) <= 6,
        status: 503,
      });
      await client.create(ConfigMap, { metadata: { namespace: team, name: 'a' } });
      end();
      expect(hits.length).toBeGreaterThan(6);
    });
    expect(problems).toEqual([]);
    expect(await everything()).toEqual(before);
  });
});

describe('a cluster that a run has claimed', () => {
  it('is refused with the name of the user while that run is active', async () => {
    const first = await open();
    await expect(open()).rejects.toThrow(
      new RegExp(`a run of ${newRun().user} is in progress in this cluster .* wait until it has ended`),
    );
    await expect(cleanGivenCluster({ kubeconfig }, print, signal)).rejects.toThrow('is in progress');
    await first.close();
    expect(first.problems).toEqual([]);
  });

  it('is used again after that run was killed, and the remaining objects are deleted', async () => {
    const before = await everything();
    const host = newRun().process.replace(/\/\d+$/, '');
    await takeOver({ [annotations.demoProcess]: `${host}/${2 ** 22 + 1}` });
    expect(await run(() => Promise.resolve())).toEqual([]);
    expect(lines.join('\n')).toContain('Deletes the objects of an earlier run of');
    expect(await everything()).toEqual(before);
  });

  it('keeps the objects of a run with --keep until --clean or the next run of the same user', async () => {
    const before = await everything();
    expect(await run(() => Promise.resolve(), true)).toEqual([]);
    expect(lines.join('\n')).toContain(`npm start -- --kubeconfig ${kubeconfig} --clean`);
    expect(await everything()).toContain(`Namespace ${team}`);
    expect(await cleanGivenCluster({ kubeconfig }, print, signal)).toEqual([]);
    expect(await everything()).toEqual(before);
  });

  it('is refused while it contains the kept objects of another user', async () => {
    await takeOver({ [annotations.demoUser]: 'ada@elsewhere', [annotations.demoState]: 'kept' });
    await expect(open()).rejects.toThrow(
      'the cluster contains the kept objects of a run of ada@elsewhere: delete them with --clean, or use another cluster',
    );
  });

  it('loses its claim when the namespace of the claim is deleted', async () => {
    const lost: Error[] = [];
    const cluster = await open(false, (error) => void lost.push(error));
    await admin.delete(Namespace, { name: system });
    await eventually(
      () => expect(lost.map(({ message }) => message)).toEqual([expect.stringContaining(system)]),
      20_000,
    );
    await cluster.close();
  });
});
