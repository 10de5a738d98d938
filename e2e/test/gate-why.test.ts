import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  annotations,
  CommitStatus,
  Gate,
  GateBinding,
  labels,
  PromotionStrategy,
  ProposedCommit,
  type FluxKind,
} from '@interlock/api';
import type { Client } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import {
  ensureNamespace,
  fluxKinds,
  installForeignKinds,
  kubeconfigFlags,
  type Cluster,
} from '@interlock/stack';
import { startGateBundle, type GateBundle } from './support/gate-process.js';
import { run } from './support/program.js';
import { openTestCluster, tenantName } from './support/test-cluster.js';

const cli = fileURLToPath(new URL('../../apps/cli/dist/main.mjs', import.meta.url));
const namespace = tenantName('why');
const shared = tenantName('shared-gates');
const timeoutMs = 180_000;
const options = { fieldManager: 'e2e' };
const sha = '0ee437c33f499e2f588f60e6a92a547f6d5845f8';

let cluster: Cluster;
let client: Client;
let folder: string;
let bundle: GateBundle;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gate-why-'));
  cluster = await openTestCluster();
  client = cluster.connect('e2e');
  await installForeignKinds(client, Object.values(fluxKinds));
  bundle = await startGateBundle(cluster, folder);
  for (const name of [namespace, shared]) await ensureNamespace(client, name);
}, timeoutMs);
afterAll(async () => {
  await bundle.process.stop();
  await client.close();
  await cluster.close();
  await rm(folder, { recursive: true });
});

interface Case {
  kind: FluxKind;
  name: string;
  isHeld: boolean;
  labels?: Record<string, string>;
  notes?: Record<string, string>;
  spec?: object;
  /** Spec of the GateBinding with the name of the case; absent if the case does not have one. */
  binding?: object;
}

const shut = { refs: [{ name: 'shut' }] };
const source = (name: string) => ({ sourceRef: { kind: 'GitRepository', name } });

/** All ways to bind an object of Flux, and similar objects that have no effect. */
const cases: readonly Case[] = [
  { kind: 'GitRepository', name: 'free', isHeld: false },
  {
    kind: 'GitRepository',
    name: 'by-name',
    isHeld: true,
    binding: { ...shut, targets: [{ kind: 'GitRepository', name: 'by-name' }] },
  },
  {
    kind: 'GitRepository',
    name: 'by-label',
    isHeld: true,
    labels: { tier: 'web' },
    binding: { ...shut, targets: [{ kind: 'GitRepository', selector: { matchLabels: { tier: 'web' } } }] },
  },
  { kind: 'Bucket', name: 'by-kind', isHeld: true, binding: { ...shut, targets: [{ kind: 'Bucket' }] } },
  {
    kind: 'Kustomization',
    name: 'of-source',
    isHeld: true,
    spec: source('followed'),
    binding: { ...shut, scope: 'All', targets: [{ kind: 'GitRepository', name: 'followed' }] },
  },
  { kind: 'Kustomization', name: 'of-held-source', isHeld: false, spec: source('by-name') },
  {
    kind: 'Kustomization',
    name: 'itself',
    isHeld: true,
    binding: { ...shut, scope: 'All', targets: [{ kind: 'Kustomization', name: 'itself' }] },
  },
  {
    kind: 'HelmChart',
    name: 'of-oci',
    isHeld: true,
    spec: { sourceRef: { kind: 'HelmRepository', name: 'oci' } },
    binding: { ...shut, targets: [{ kind: 'HelmRepository', name: 'oci' }] },
  },
  {
    kind: 'GitRepository',
    name: 'observed',
    isHeld: false,
    binding: { ...shut, mode: 'Observe', targets: [{ kind: 'GitRepository', name: 'observed' }] },
  },
  {
    kind: 'GitRepository',
    name: 'no-such-gate',
    isHeld: true,
    binding: { refs: [{ name: 'missing' }], targets: [{ kind: 'GitRepository', name: 'no-such-gate' }] },
  },
  {
    kind: 'GitRepository',
    name: 'wrong-expression',
    isHeld: true,
    binding: {
      refs: [{ name: 'door' }],
      expr: "gates['other']",
      targets: [{ kind: 'GitRepository', name: 'wrong-expression' }],
    },
  },
  {
    kind: 'GitRepository',
    name: 'one-of',
    isHeld: false,
    binding: {
      refs: [{ name: 'shut' }, { name: 'door' }],
      require: 'oneOf',
      targets: [{ kind: 'GitRepository', name: 'one-of' }],
    },
  },
  { kind: 'GitRepository', name: 'noted', isHeld: true, notes: { [annotations.gates]: 'shut' } },
  {
    kind: 'GitRepository',
    name: 'noted-elsewhere',
    isHeld: true,
    notes: { [annotations.gates]: `${shared}/shut` },
  },
  {
    kind: 'GitRepository',
    name: 'noted-not-allowed',
    isHeld: true,
    notes: { [annotations.gates]: `${shared}/private` },
  },
  {
    kind: 'GitRepository',
    name: 'noted-one-of',
    isHeld: false,
    notes: { [annotations.gates]: 'shut, door', [annotations.require]: 'oneOf' },
  },
  {
    kind: 'GitRepository',
    name: 'noted-wrong',
    isHeld: true,
    notes: { [annotations.gates]: 'door', [annotations.require]: 'most' },
  },
  { kind: 'Kustomization', name: 'noted-applier', isHeld: false, notes: { [annotations.gates]: 'shut' } },
];

async function applyCase({ kind, name, labels: own, notes, spec = {}, binding }: Case): Promise<void> {
  const metadata = { name, namespace };
  if (binding !== undefined) await client.apply(GateBinding, { metadata, spec: binding }, options);
  await client.apply(
    fluxKinds[kind],
    { metadata: { ...metadata, ...(own && { labels: own }), ...(notes && { annotations: notes }) }, spec },
    options,
  );
}

/** Returns whether the controller holds an object. */
async function isSuspended(kind: FluxKind, name: string): Promise<boolean> {
  const { spec } = await client.get(fluxKinds[kind], { namespace, name });
  return spec?.['suspend'] === true;
}

async function exitCodeOfWhy(target: string): Promise<number | null> {
  const flags = kubeconfigFlags(cluster.kubeconfigFile(folder));
  const args = [cli, 'gate', 'why', target, '-n', namespace, ...flags];
  return (await run(process.execPath, args, { env: { HOME: folder } })).code;
}

async function applyGate(name: string, closed: boolean, at = namespace, more: object = {}): Promise<void> {
  await client.apply(Gate, { metadata: { name, namespace: at }, spec: { closed, ...more } }, options);
  await eventually(async () => {
    const { status } = await client.get(Gate, { name, namespace: at });
    expect(status?.state).toBe(closed ? 'Closed' : 'Open');
  });
}

test(
  'why agrees with the controller on every way to bind an object of Flux',
  async () => {
    await applyGate('shut', true);
    await applyGate('door', false);
    await applyGate('shut', true, shared, { allowedNamespaces: [namespace] });
    await applyGate('private', false, shared);
    const git = { metadata: { name: 'followed', namespace }, spec: {} };
    const oci = { metadata: { name: 'oci', namespace }, spec: { type: 'oci' } };
    await client.apply(fluxKinds.GitRepository, git, options);
    await client.apply(fluxKinds.HelmRepository, oci, options);
    for (const one of cases) await applyCase(one);
    for (const { kind, name, isHeld } of cases)
      await eventually(
        async () => expect([name, await isSuspended(kind, name)]).toEqual([name, isHeld]),
        60_000,
      );
    for (const { kind, name, isHeld } of cases)
      expect([name, await exitCodeOfWhy(`${kind.toLowerCase()}/${name}`)]).toEqual([name, isHeld ? 3 : 0]);
    for (const { kind, name, isHeld } of cases)
      expect([name, await isSuspended(kind, name)]).toEqual([name, isHeld]);
  },
  timeoutMs,
);

test.each([
  ['without-targets', true, {}],
  ['by-strategy', true, { targets: [{ kind: 'PromotionStrategy', name: 'by-strategy' }] }],
  [
    'by-strategy-label',
    true,
    { targets: [{ kind: 'PromotionStrategy', selector: { matchLabels: { tier: 'web' } } }] },
  ],
  ['open', false, { refs: [{ name: 'door' }] }],
])(
  'why agrees with the controller on promotions that are bound %s',
  async (name, isHeld, more) => {
    const key = `key-of-${name}`;
    const metadata = { name, namespace };
    const spec = { mode: 'CommitStatus', commitStatus: { key }, ...shut, ...more };
    await client.apply(GateBinding, { metadata, spec }, options);
    await client.apply(
      PromotionStrategy,
      {
        metadata: { ...metadata, labels: { tier: 'web' } },
        spec: { repoRef: { name: 'repo' }, environments: [{ branch: 'prod' }] },
      },
      options,
    );
    await client.apply(
      ProposedCommit,
      {
        metadata: { ...metadata, labels: { [labels.promotionStrategy]: name } },
        spec: {
          repoRef: { name: 'repo' },
          activeBranch: 'prod',
          proposedBranch: 'prod-next',
          commitStatuses: { proposed: [{ key }] },
        },
      },
      options,
    );
    const proposed = { proposed: { hydratedSHA: sha, drySHA: sha.replaceAll('0', 'f') } };
    await client.apply(ProposedCommit, { metadata, status: proposed }, { ...options, subresource: 'status' });
    await eventually(async () => {
      const labelSelector = `${labels.commitStatusKey}=${key}`;
      const { items } = await client.list(CommitStatus, { namespace, labelSelector });
      expect(items.map((one) => one.spec.phase)).toEqual([isHeld ? 'in_progress' : 'success']);
    });
    expect(await exitCodeOfWhy(`promotionstrategy/${name}`)).toBe(isHeld ? 3 : 0);
  },
  timeoutMs,
);
