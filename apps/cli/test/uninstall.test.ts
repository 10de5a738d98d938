import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import {
  annotations,
  fieldManagers,
  finalizers,
  Gate,
  GateBinding,
  isTyped,
  keyOf,
  labels,
  projectName,
  PullRequest,
  SecurityEvent,
  timestampOf,
  type Kind,
  type KubeObject,
  type ObjectKey,
} from '@interlock/api';
import {
  ClusterRole,
  CustomResourceDefinition,
  Deployment,
  Lease,
  Namespace,
  ValidatingWebhookConfiguration,
} from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { targetKind } from '../src/gate/target-kinds.js';
import { act, type Result } from '../src/uninstall/act.js';
import { decideUninstall } from '../src/uninstall/decide.js';
import { observe } from '../src/uninstall/observe.js';
import { Fixture, type Result as Run } from './harness/fixture.js';
import { event } from './respond/manifests.js';

const Source = targetKind('GitRepository');
const url = 'https://forge.example/pulls/7';
let fixture: Fixture;
let namespaces = 0;

beforeAll(async () => (fixture = await Fixture.start()));
afterAll(() => fixture.close());
/* Each test begins with a cluster without any remains. */
afterEach(async () => {
  expect(await uninstall('--yes')).toMatchObject({ code: 0 });
});

function uninstall(...args: string[]): Promise<Run> {
  return fixture.cli(['uninstall', ...args, '--kubeconfig', fixture.kubeconfig]);
}

async function newNamespace(): Promise<string> {
  const name = `team-${++namespaces}`;
  await fixture.client.create(Namespace, { metadata: { name } });
  return name;
}

async function exists(kind: Kind, key: ObjectKey): Promise<boolean> {
  try {
    await fixture.client.get(kind, key);
    return true;
  } catch (error) {
    if (isTyped(error, 'NotFound')) return false;
    throw error;
  }
}

async function expectGone(kind: Kind, key: ObjectKey): Promise<void> {
  await eventually(async () => expect(await exists(kind, key)).toBe(false));
}

/** Returns a PullRequest in the state in which the promoter leaves it: with the finalizer exactly while it is open. */
async function pullRequest(namespace: string, name: string, state: 'open' | 'merged'): Promise<void> {
  await fixture.apply(
    `
apiVersion: promoter.argoproj.io/v1alpha1
kind: PullRequest
metadata: { name: ${name}, finalizers: [${state === 'open' ? finalizers.pullRequest : ''}] }
spec: { title: t, sourceBranch: dev-next, targetBranch: dev, state: open }
status: { state: ${state}, url: '${url}' }
`,
    namespace,
  );
}

const modes: Readonly<Record<string, string>> = {
  observe: 'mode: Observe, targets: [{ kind: GitRepository }]',
  suspend: 'mode: Suspend, targets: [{ kind: GitRepository }]',
  pin: 'mode: Pin, targets: [{ kind: GitRepository }]',
  status: 'mode: CommitStatus, commitStatus: { key: freeze }',
};

/**
 * Returns bindings of all modes in the state in which the gate-controller leaves them.
 *
 * @param holding the bindings that hold an object
 */
async function bindings(namespace: string, ...holding: string[]): Promise<void> {
  const documents = Object.entries(modes).map(
    ([name, mode]) => `
apiVersion: gating.toolkit.fluxcd.io/v1alpha1
kind: GateBinding
metadata: { name: ${name}, finalizers: [${holding.includes(name) ? finalizers.gateBinding : ''}] }
spec: { refs: [{ name: freeze }], ${mode} }
`,
  );
  await fixture.apply(documents.join('---'), namespace);
}

/** Returns a Flux source that the gate-controller holds. */
async function heldSource(namespace: string, name: string, by: string): Promise<void> {
  await fixture.client.apply(
    Source,
    { metadata: { namespace, name }, spec: { interval: '1m', url: 'https://forge.example/repo' } },
    { fieldManager: 'kubectl' },
  );
  const notes = { [annotations.heldBy]: by, [annotations.heldSince]: '2026-11-20T08:00:00Z' };
  await fixture.client.apply(
    Source,
    { metadata: { namespace, name, annotations: notes }, spec: { suspend: true } },
    { fieldManager: fieldManagers.gateController },
  );
}

async function source(namespace: string, name: string) {
  const object = await fixture.client.get<KubeObject & { spec?: { suspend?: boolean; url?: string } }>(
    Source,
    {
      namespace,
      name,
    },
  );
  return { suspend: object.spec?.suspend, url: object.spec?.url, notes: object.metadata.annotations ?? {} };
}

async function finalizersOf(kind: Kind, namespace: string, name: string): Promise<string[]> {
  return (await fixture.client.get(kind, { namespace, name })).metadata.finalizers ?? [];
}

describe('a namespace whose controllers are gone', () => {
  test('can be deleted if nothing is left to do', async () => {
    const namespace = await newNamespace();
    await pullRequest(namespace, 'dev', 'merged');
    await bindings(namespace);
    await fixture.client.delete(Namespace, { name: namespace });
    await expectGone(Namespace, { name: namespace });
  });

  test('is not deleted while it has an open pull request and a hold, until uninstall releases this namespace only', async () => {
    const [namespace, other] = [await newNamespace(), await newNamespace()];
    for (const one of [namespace, other]) {
      await pullRequest(one, 'dev', 'open');
      await pullRequest(one, 'test', 'merged');
      await bindings(one, 'suspend', 'pin');
      await heldSource(one, 'shop', 'suspend');
    }
    await fixture.client.delete(Namespace, { name: namespace });
    await eventually(async () => {
      const names = async (kind: Kind) =>
        (await fixture.client.list(kind, { namespace })).items.map(({ metadata }) => metadata.name);
      expect([await names(PullRequest), await names(GateBinding)]).toEqual([['dev'], ['pin', 'suspend']]);
    });
    expect(await exists(Namespace, { name: namespace })).toBe(true);

    const { code, stdout, stderr } = await uninstall('-n', namespace, '--yes');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      new RegExp(`remove finalizer\\s+${namespace}\\s+PullRequest\\s+dev\\s+being deleted since`),
    );
    expect(stdout).toContain(`the open pull request ${url} stays open; close it at the SCM`);
    expect(stderr).toContain('3 changes made');
    await expectGone(Namespace, { name: namespace });
    expect(await finalizersOf(PullRequest, other, 'dev')).toEqual([finalizers.pullRequest]);
    expect(await source(other, 'shop')).toMatchObject({ suspend: true });
  });
});

describe('a held object', () => {
  test('is resumed before the finalizer is removed, and is then reconciled with its manifest', async () => {
    const namespace = await newNamespace();
    await bindings(namespace, 'suspend');
    await heldSource(namespace, 'shop', 'suspend');
    await heldSource(namespace, 'paused', 'suspend');
    await fixture.client.apply(
      Source,
      { metadata: { namespace, name: 'paused' }, spec: { interval: '1m', suspend: true } },
      { fieldManager: 'ada' },
    );
    const { code, stdout } = await uninstall('--yes');
    expect(code).toBe(0);
    expect(stdout).toContain('resumes it, and Flux applies the waiting revision; held by suspend');
    expect(await source(namespace, 'shop')).toEqual({
      suspend: undefined,
      url: 'https://forge.example/repo',
      notes: {},
    });
    expect(await source(namespace, 'paused')).toMatchObject({ suspend: true, notes: {} });
    await expectGone(GateBinding, { namespace, name: 'suspend' });
  });

  test('stays suspended with --keep-holds', async () => {
    const namespace = await newNamespace();
    await bindings(namespace, 'suspend');
    await heldSource(namespace, 'shop', 'suspend');
    const { code, stderr } = await uninstall('--yes', '--keep-holds');
    expect(code).toBe(0);
    expect(stderr).toContain(`GitRepository ${namespace}/shop stays suspended (--keep-holds)`);
    expect(await source(namespace, 'shop')).toMatchObject({ suspend: true });
    await expectGone(GateBinding, { namespace, name: 'suspend' });
  });
});

describe('without --yes', () => {
  test('lists the steps, and changes nothing', async () => {
    const namespace = await newNamespace();
    await pullRequest(namespace, 'dev', 'open');
    await bindings(namespace);
    const { code, stdout, stderr } = await fixture.cli(
      ['uninstall', '-n', namespace, '--kubeconfig', fixture.kubeconfig],
      { as: 'kubectl-interlock' },
    );
    expect(stdout.replace(/[\t ]+/g, ' ')).toBe(
      [
        'ACTION NAMESPACE KIND NAME NOTE',
        `remove finalizer ${namespace} PullRequest dev the open pull request ${url} stays open; close it at the SCM`,
        `delete ${namespace} GateBinding 4 objects`,
        `delete ${namespace} PullRequest dev`,
        '',
      ].join('\n'),
    );
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: '◎ nothing has been changed; add --yes to make these changes\n',
    });
    expect(await finalizersOf(PullRequest, namespace, 'dev')).toEqual([finalizers.pullRequest]);
  });

  test('prints data with -o json', async () => {
    const namespace = await newNamespace();
    await pullRequest(namespace, 'dev', 'open');
    const { code, stdout } = await uninstall('-n', namespace, '-o', 'json');
    const step = {
      apiVersion: 'promoter.argoproj.io/v1alpha1',
      kind: 'PullRequest',
      namespace,
      name: 'dev',
    };
    expect({ code, data: JSON.parse(stdout) as unknown }).toEqual({
      code: 0,
      data: {
        namespace,
        running: [],
        unread: [],
        kept: [],
        steps: [
          {
            ...step,
            action: 'removeFinalizers',
            finalizers: [finalizers.pullRequest],
            note: `the open pull request ${url} stays open; close it at the SCM`,
          },
          { ...step, action: 'delete' },
        ],
      },
    });
  });

  test('reports that nothing remains', async () => {
    expect(await uninstall()).toEqual({
      code: 0,
      stdout: '',
      stderr: '✔ nothing that Interlock created remains\n',
    });
  });
});

describe('with --yes', () => {
  test('refuses while the Lease of an app is renewed, and acts when it has expired', async () => {
    const namespace = await newNamespace();
    await pullRequest(namespace, 'dev', 'open');
    const renewTime = new Date().toISOString().replace('Z', '000Z');
    const lease = { namespace, name: 'promoter' };
    const spec = { holderIdentity: 'promoter-7d9', leaseDurationSeconds: 15, renewTime };
    await fixture.client.create(Lease, { metadata: lease, spec });
    const refused = await uninstall('--yes');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(
      `promoter is running: promoter-7d9 renewed Lease ${namespace}/promoter at ${timestampOf(Date.parse(renewTime))}, for 15s; uninstall the app (helm uninstall)`,
    );
    expect(refused.stderr).toContain('✗ nothing has been changed, because a running app would undo it');
    expect(await finalizersOf(PullRequest, namespace, 'dev')).toEqual([finalizers.pullRequest]);

    const now = timestampOf(Date.parse(renewTime) + 60_000);
    const args = ['uninstall', '--yes', '--kubeconfig', fixture.kubeconfig];
    expect(await fixture.cli(args, { now })).toMatchObject({ code: 0 });
    await expectGone(PullRequest, { namespace, name: 'dev' });
    await fixture.client.delete(Lease, lease);
  });

  test('refuses while a Deployment of the charts exists', async () => {
    const namespace = await newNamespace();
    await pullRequest(namespace, 'dev', 'open');
    const app = { [labels.appName]: 'gate-controller' };
    await fixture.client.create(Deployment, {
      metadata: { namespace, name: 'fleet', labels: { ...app, [labels.partOf]: projectName } },
      spec: {
        replicas: 1,
        selector: { matchLabels: app },
        template: { metadata: { labels: app }, spec: { containers: [{ name: 'app', image: 'none' }] } },
      },
    });
    const { code, stderr } = await uninstall('--yes');
    expect(code).toBe(1);
    expect(stderr).toContain(`gate-controller is installed: Deployment ${namespace}/fleet has 1 replica`);
    expect(await exists(PullRequest, { namespace, name: 'dev' })).toBe(true);
    await fixture.client.delete(Deployment, { namespace, name: 'fleet' });
  });

  test('names unreadable resources with their verb, and changes nothing', async () => {
    const namespace = await newNamespace();
    await pullRequest(namespace, 'dev', 'open');
    const { code, stderr } = await uninstall('--yes', '--as', 'nobody');
    expect(code).toBe(1);
    expect(stderr).toContain('✗ cannot read pullrequests.promoter.argoproj.io: ');
    expect(stderr).toMatch(/User "nobody" cannot list resource "pullrequests"/);
    expect(stderr).toContain('✗ nothing has been changed, because objects that could not be read');
    expect(await finalizersOf(PullRequest, namespace, 'dev')).toEqual([finalizers.pullRequest]);
  });

  test('stores nothing with --dry-run', async () => {
    const namespace = await newNamespace();
    await pullRequest(namespace, 'dev', 'open');
    await heldSource(namespace, 'shop', 'suspend');
    const { code, stderr } = await uninstall('--yes', '--dry-run');
    expect(code).toBe(0);
    expect(stderr).toContain('3 changes would be made; no change was stored (--dry-run)');
    expect(await finalizersOf(PullRequest, namespace, 'dev')).toEqual([finalizers.pullRequest]);
    expect(await source(namespace, 'shop')).toMatchObject({ suspend: true });
  });

  test('keeps the finalizers that Interlock does not set', async () => {
    const namespace = await newNamespace();
    await pullRequest(namespace, 'dev', 'open');
    const key = { namespace, name: 'dev' };
    const theirs = 'example.com/theirs';
    const patch = (names: string[]) =>
      fixture.client.patch(PullRequest, key, { type: 'merge', patch: { metadata: { finalizers: names } } });
    await patch([theirs, finalizers.pullRequest]);
    expect(await uninstall('--yes')).toMatchObject({ code: 0 });
    expect(await finalizersOf(PullRequest, namespace, 'dev')).toEqual([theirs]);
    const { stderr } = await uninstall();
    expect(stderr).toContain(`PullRequest ${namespace}/dev is being deleted and waits for ${theirs}`);
    await patch([]);
    await expectGone(PullRequest, key);
  });

  test('removes the cluster-scoped objects of the charts, webhooks first, and keeps all other objects', async () => {
    const chart = { labels: { [labels.partOf]: projectName } };
    const rules = [
      { apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], operations: ['CREATE'], scope: '*' },
    ];
    const webhook = (name: string) => ({
      name,
      failurePolicy: 'Fail',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      clientConfig: { url: 'https://192.0.2.1/' },
      rules: rules.map((rule) => ({ ...rule, apiGroups: ['example.com'] })),
    });
    const make = (kind: Kind, body: object) => fixture.client.create(kind, body);
    await make(ValidatingWebhookConfiguration, {
      metadata: { name: 'fleet' },
      webhooks: [webhook('check.gates.gating.toolkit.fluxcd.io')],
    });
    await make(ValidatingWebhookConfiguration, {
      metadata: { name: 'theirs' },
      webhooks: [webhook('check.example.com')],
    });
    await make(ClusterRole, { metadata: { name: 'fleet', ...chart }, rules: [] });
    await make(ClusterRole, { metadata: { name: 'theirs' }, rules: [] });
    const namespace = await newNamespace();
    await fixture.client.create(Gate, { metadata: { namespace, name: 'freeze' }, spec: { closed: true } });

    const { code, stdout } = await uninstall('--yes', '-o', 'json');
    const { steps } = JSON.parse(stdout) as { steps: { kind: string; name: string; outcome: string }[] };
    expect(code).toBe(0);
    expect(steps.map(({ kind, name, outcome }) => [kind, name, outcome])).toEqual([
      ['ValidatingWebhookConfiguration', 'fleet', 'done'],
      ['Gate', 'freeze', 'done'],
      ['ClusterRole', 'fleet', 'done'],
    ]);
    expect(await exists(ValidatingWebhookConfiguration, { name: 'theirs' })).toBe(true);
    expect(await exists(ClusterRole, { name: 'theirs' })).toBe(true);
  });

  test('prints the number of the objects without a note in one row, and removes each object', async () => {
    const namespace = await newNamespace();
    for (let index = 0; index < 20; index += 1) {
      const metadata = { namespace, name: `freeze-${index}` };
      await fixture.client.create(Gate, { metadata, spec: { closed: true } });
    }
    const { code, stdout } = await uninstall('-n', namespace, '--yes');
    expect({ code, rows: stdout.trim().split('\n').length }).toEqual({ code: 0, rows: 2 });
    expect(stdout).toContain('20 objects');
    expect((await fixture.client.list(Gate, { namespace })).items).toEqual([]);
  });
});

describe('a plan that is carried out late', () => {
  test('does not overwrite later changes, and skips dependent steps', async () => {
    const namespace = await newNamespace();
    await pullRequest(namespace, 'dev', 'open');
    await pullRequest(namespace, 'test', 'open');
    const connection = { client: fixture.client, signal: new AbortController().signal };
    const plan = decideUninstall(await observe(connection, namespace), {}, Date.now());
    const key = { namespace, name: 'dev' };
    const added = [finalizers.pullRequest, 'example.com/theirs'];
    await fixture.client.patch(PullRequest, key, {
      type: 'merge',
      patch: { metadata: { finalizers: added } },
    });
    const results: [string, Result['outcome'], string][] = [];
    await act(connection, plan, {
      dryRun: false,
      onResult: ({ action, object }, result) =>
        results.push([
          `${action} ${keyOf(object).name}`,
          result.outcome,
          'message' in result ? result.message : '',
        ]),
    });
    expect(results.sort()).toEqual([
      [
        'delete dev',
        'skipped',
        expect.stringContaining('not done because another step failed: removeFinalizers'),
      ],
      ['delete test', 'done', ''],
      ['removeFinalizers dev', 'failed', expect.stringContaining('it has changed since it was read')],
      ['removeFinalizers test', 'done', ''],
    ]);
    expect(await finalizersOf(PullRequest, namespace, 'dev')).toEqual(added);
    expect((await fixture.client.get(PullRequest, key)).metadata.deletionTimestamp).toBeUndefined();
    await fixture.client.patch(PullRequest, key, {
      type: 'merge',
      patch: { metadata: { finalizers: null } },
    });
  });
});

describe('the command line', () => {
  test.each([
    [['--crds', '-n', 'apps'], '--crds removes the objects of all namespaces; remove the flag --namespace'],
    [['--dry-run'], '--dry-run requires --yes; without --yes nothing is sent'],
  ])('refuses %j', async (args, message) => {
    expect(await uninstall(...args)).toEqual({ code: 2, stdout: '', stderr: `✗ ${message}\n` });
  });
});

describe('--crds', () => {
  test('removes the definitions of the project, and keeps the definitions of another project with their objects', async () => {
    const theirs = 'securityevents.security.ugallu.io';
    await fixture.client.patch(
      CustomResourceDefinition,
      { name: theirs },
      { type: 'merge', patch: { spec: { names: { categories: [] } } } },
    );
    await eventually(async () => {
      const { resources } = await fixture.client.raw<{
        resources: { name: string; categories?: string[] }[];
      }>({ method: 'GET', path: '/apis/security.ugallu.io/v1alpha1' });
      expect(resources.find(({ name }) => name === SecurityEvent.plural)?.categories ?? []).toEqual([]);
    });
    await fixture.apply(event);
    const namespace = await newNamespace();
    await bindings(namespace, 'suspend');
    expect(await uninstall('--yes', '--crds')).toMatchObject({ code: 0 });
    await eventually(async () => {
      const { items } = await fixture.client.list(CustomResourceDefinition, { metadataOnly: true });
      const names = items.map(({ metadata }) => metadata.name).sort();
      expect(names).toEqual(['gitrepositories.source.toolkit.fluxcd.io', theirs]);
    });
    expect(await exists(SecurityEvent, { name: 'se-1' })).toBe(true);
    expect((await uninstall()).stderr).toContain(
      `${theirs} (1): another project defines the kind, so its objects and its definition stay`,
    );
  });
});

test('names a namespace that does not exist, and succeeds, because the namespace may be removed already', async () => {
  expect(await uninstall('--namespace', 'none', '--yes')).toEqual({
    code: 0,
    stdout: '',
    stderr: '⚠️ namespace none does not exist; check its name\n✔ nothing that Interlock created remains\n',
  });
});
