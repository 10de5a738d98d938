import type { SecurityEvent } from '@interlock/api';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { argoKinds, ensureNamespace, fluxKinds, installForeignKinds } from '@interlock/stack';
import type { Target } from './harness/target.js';
import { Fixture } from './harness/fixture.js';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await Fixture.start();
  await installForeignKinds(fixture.platform.client, [
    ...Object.values(fluxKinds),
    ...Object.values(argoKinds),
  ]);
  await ensureNamespace(fixture.platform.client, 'flux-system');
  await ensureNamespace(fixture.platform.client, 'argocd');
});
afterAll(() => fixture.close());

const kinds = { kind: 'ClusterRoleBinding', apiVersion: 'rbac.authorization.k8s.io/v1' };

async function respond(
  target: Target,
  changes: object[],
  subject?: SecurityEvent['spec']['subject'],
  parameters = {},
): Promise<string> {
  const event = `event-of-${target.actionRef}`;
  await fixture.event(event, subject === undefined ? {} : { subject });
  return fixture.respond(
    target.actionRef,
    { changes: JSON.stringify(changes), ...parameters },
    { securityEventRef: { name: event } },
  );
}

async function proposed(name: string): Promise<string> {
  const { changeRequest } = await fixture.statusIs(name, (status) => {
    /* Queued writes need not wait in real time. */
    fixture.clock.forward(500);
    expect(status.error).toBeUndefined();
    expect(status.phase).toBe('Succeeded');
  });
  return changeRequest?.branch ?? '';
}

it('edits YAML and keeps everything else: comments, order, anchors and line endings', async () => {
  const before = [
    '# why: see the runbook',
    'defaults: &limits # shared',
    '  cpu: 1',
    'zeta: *limits',
    '---',
    'kind: Deployment # the one',
    'metadata: {name: web,   namespace: shop}',
    'spec:',
    '  replicas: 3   # three, for the quorum',
    "  paused: 'no'",
    '...',
    '',
  ].join('\r\n');
  const target = await fixture.target({ 'app.yaml': before });
  await fixture.route(target.route());
  const patch = [{ op: 'replace', path: '/spec/replicas', value: 0 }];
  const change = { op: 'yaml.patch', path: 'app.yaml', select: { kind: 'Deployment' }, patch };
  const branch = await proposed(await respond(target, [change]));
  expect(await target.file(branch, 'app.yaml')).toBe(before.replace('replicas: 3 ', 'replicas: 0 '));

  const same = { ...change, patch: [{ op: 'replace', path: '/spec/replicas', value: 3 }] };
  const nothing = await respond(target, [same]);
  const status = await fixture.statusIs(nothing, ({ phase }) => expect(phase).toBe('Succeeded'));
  expect(status).toMatchObject({ outcome: { type: 'NoActionNeeded' } });
  expect(status.providerRef).toBeUndefined();
  expect(await target.pulls()).toHaveLength(1);
});

describe('a subject without a named file', () => {
  const remove = [{ op: 'yaml.deleteDocument' }];
  const rbac = `${JSON.stringify({ ...kinds, metadata: { name: 'too-broad' } })}\n`;
  const files = { 'clusters/prod/rbac/roles.yaml': rbac, 'clusters/prod/other.yaml': 'kind: ConfigMap\n' };

  it('is found by the labels of Flux', async () => {
    const target = await fixture.target(files);
    await fixture.route(target.route());
    const { client } = fixture.platform;
    const name = target.actionRef;
    const metadata = { name, namespace: 'flux-system' };
    const url = `${target.provider.host}/${target.fullName}.git`;
    await client.apply(
      fluxKinds.GitRepository,
      { metadata, spec: { url, interval: '1m', ref: { branch: 'main' } } },
      { fieldManager: 'flux' },
    );
    const spec = {
      path: './clusters/prod',
      prune: true,
      interval: '1m',
      sourceRef: { kind: 'GitRepository', name },
    };
    await client.apply(fluxKinds.Kustomization, { metadata, spec }, { fieldManager: 'flux' });
    const labels = {
      'kustomize.toolkit.fluxcd.io/name': name,
      'kustomize.toolkit.fluxcd.io/namespace': 'flux-system',
    };
    const branch = await proposed(await respond(target, remove, { ...kinds, name: 'too-broad', labels }));
    expect(await target.file(branch, 'clusters/prod/rbac/roles.yaml')).toBeUndefined();
    expect(await target.file(branch, 'clusters/prod/other.yaml')).toBeDefined();
  });

  it.each([['too-broad'], ['acme:Too-Broad']])(
    'is found by the tracking id of Argo CD, which only the object in the cluster has: %s',
    async (name) => {
      const target = await fixture.target({
        ...files,
        'clusters/prod/rbac/roles.yaml': rbac.replace('too-broad', name),
      });
      await fixture.route(target.route());
      const { client } = fixture.platform;
      const repoURL = `${target.provider.host}/${target.fullName}`;
      const source = { repoURL, path: 'clusters/prod', targetRevision: 'main', directory: { recurse: true } };
      const metadata = { name: target.actionRef, namespace: 'argocd' };
      await client.apply(
        argoKinds.Application,
        { metadata, spec: { source, destination: {}, project: 'default' } },
        { fieldManager: 'argo' },
      );
      const kind = {
        group: 'rbac.authorization.k8s.io',
        version: 'v1',
        kind: 'ClusterRoleBinding',
        plural: 'clusterrolebindings',
        namespaced: false,
      };
      const id = `${target.actionRef}:rbac.authorization.k8s.io/ClusterRoleBinding:/${name}`;
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
      await client.apply(
        kind,
        { metadata: { name, annotations: { 'argocd.argoproj.io/tracking-id': id } }, roleRef },
        { fieldManager: 'argo' },
      );
      const branch = await proposed(await respond(target, remove, { ...kinds, name }));
      expect(await target.file(branch, 'clusters/prod/rbac/roles.yaml')).toBeUndefined();
    },
  );

  it('that no file contains is reported as not located, with the correction', async () => {
    const target = await fixture.target(files);
    await fixture.route(target.route());
    const name = await respond(target, remove, { ...kinds, name: 'nobody-delivers-it' });
    const { error } = await fixture.statusIs(name, ({ phase }) => expect(phase).toBe('Failed'));
    expect(error).toMatchObject({ type: 'Permanent', reason: 'NotLocated' });
    expect(error?.detail).toMatch(/name its path/);
    expect(await target.branches()).toEqual([]);
  });
});

describe('a name that an attacker chose', () => {
  const names = [
    '`; rm -rf / ; `',
    '@everyone @org/security',
    '<img src=x onerror=alert(1)>',
    '{{ .Source.SE.Type }}',
    '](https://evil.example) [x',
    '--> <!-- interlock-response: 00000000-0000-0000-0000-000000000000 -->',
    'a\n\n# Approved by security\n\nFixes #1',
    'x'.repeat(1_048_576),
  ];

  it('is inert and bounded in pull requests', async () => {
    const target = await fixture.target({ 'a.txt': 'a\n' });
    await fixture.route(
      target.route({
        titleTemplate: 'On {{ .subject.name }}',
        prTemplate: 'On {{ .subject.name }} and `{{ .subject.name }}`',
      }),
    );
    for (const [index, name] of names.entries()) {
      const event = `hostile-${index}`;
      await fixture.event(event, { subject: { kind: 'Pod', name } });
      const response = await fixture.respond(
        target.actionRef,
        { path: `${index}.txt`, contents: 'b\n' },
        { securityEventRef: { name: event } },
      );
      await proposed(response);
    }
    const pulls = await target.pulls();
    expect(pulls).toHaveLength(names.length);
    expect(pulls.map(({ title }) => title)).toContain('On {{ .Source.SE.Type }}');
    for (const { body, title } of pulls) {
      expect(body.length).toBeLessThan(65_536);
      expect(title.length).toBeLessThanOrEqual(256);
      /* In a code span, everything is text. */
      const shown = body.replace(/(`+)[^`]+\1/g, '');
      expect(shown).not.toMatch(/<img|\]\(https:\/\/|^# Approved/m);
      expect(`${title}\n${shown}`).not.toMatch(/(^|[^\w\\])@(everyone|org)/m);
      expect(body.match(/<!-- interlock-response: [-0-9a-f]+ -->/g)).toHaveLength(1);
    }
  });

  it.each([
    ['../../etc/passwd', /path/],
    ['.github/workflows/release.yaml', /may not be changed/],
    ['.GitHub/Workflows/release.yaml', /may not be changed/],
    ['.gitlab-ci.yml', /may not be changed/],
    ['.forgejo/workflows/release.yaml', /may not be changed/],
    ['.github/CODEOWNERS', /may not be changed/],
    ['/etc/passwd', /path/],
    ['a/../.git/config', /path/],
  ])('is refused as a path: %s', async (path, message) => {
    const target = await fixture.target({ 'a.txt': 'a\n' });
    await fixture.route(target.route());
    const name = await respond(target, [], undefined, { path, contents: 'x\n' });
    const { error } = await fixture.statusIs(name, ({ phase }) => expect(phase).toBe('Failed'));
    expect(error).toMatchObject({ type: 'Permanent', detail: expect.stringMatching(message) });
    expect(await target.branches()).toEqual([]);
  });
});
