import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { GitOpsResponderConfig } from '@interlock/api';
import { Fixture } from './harness/fixture.js';
import { configNamespace } from './harness/responder-process.js';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await Fixture.start();
});
afterAll(() => fixture.close());

const provider = { kind: 'noop', repository: 'ninsun-labs/ugallu-gitops', baseBranch: 'main' } as const;

it('waits for a configuration, and for the event that a response names', async () => {
  const name = await fixture.respond('x', { path: 'a' }, { securityEventRef: { name: 'late' } });
  const routed = (reason: string) =>
    expect.arrayContaining([expect.objectContaining({ type: 'Routed', status: 'False', reason })]);
  await fixture.statusIs(name, (status) =>
    expect(status).toMatchObject({ phase: 'Pending', conditions: routed('EventNotFound') }),
  );
  await fixture.event('late');
  await fixture.statusIs(name, (status) =>
    expect(status).toMatchObject({ phase: 'Pending', conditions: routed('NoConfiguration') }),
  );
  await fixture.configure({ routes: [{ match: { actionRef: 'y' }, provider }] });
  await fixture.statusIs(name, (status) => expect(status).toMatchObject({ conditions: routed('NoRoute') }));
  await fixture.responder.rest();
  expect(await fixture.responder.metric('ugallu_gitops_responder_routing_misses_total')).toBe(1);
  await fixture.configure({ routes: [{ match: { actionRef: 'x' }, provider }] });
  await fixture.statusIs(name, (status) =>
    expect(status).toMatchObject({
      phase: 'Failed',
      error: { type: 'Permanent', reason: 'InvalidParameters' },
    }),
  );
});

it('records its proposal, and makes no calls', async () => {
  await fixture.configure({
    routes: [
      {
        provider,
        prTemplate: 'Triggered by `{{ .Source.SE.Type }}` on `{{ .Source.SE.Subject.Name }}`.',
      },
    ],
  });
  await fixture.event('se-1', { subject: { kind: 'ClusterRoleBinding', name: 'too-broad' } });
  const name = await fixture.respond(
    'revoke',
    { path: 'rbac/too-broad.yaml', delete: 'true' },
    { securityEventRef: { name: 'se-1' } },
  );
  const status = await fixture.statusIs(name, ({ phase }) => expect(phase).toBe('Succeeded'));
  expect(status).toMatchObject({
    attempts: 1,
    stage: 'Submitted',
    outcome: { type: 'Skipped' },
    route: { index: 0, config: 'default', provider: 'noop', repository: provider.repository },
    plan: { files: [{ path: 'rbac/too-broad.yaml', change: 'delete' }] },
    changeRequest: { title: 'ugallu: respond to se-1' },
  });
  expect(status.changeRequest?.body).toContain('Triggered by `ClusterAdminGranted` on `too-broad`.');
  expect(status.providerRef).toBeUndefined();
  const metric = 'ugallu_gitops_responder_dispatches_total';
  expect(await fixture.responder.metric(metric, { provider: 'noop', outcome: 'Skipped' })).toBe(1);
});

it('refuses a response without a change, like every provider', async () => {
  const name = await fixture.respond('revoke', {});
  await fixture.statusIs(name, (status) =>
    expect(status).toMatchObject({ phase: 'Failed', error: { type: 'Permanent', reason: 'NoOperations' } }),
  );
});

it('keeps the last valid configuration, even across a restart, and reports it', async () => {
  await fixture.configure({ routes: [{ match: { actionRef: 'good' }, provider }] });
  const bad = await fixture.configure({ routes: [{ match: { expr: 'event.x ==' }, provider }] });
  expect(bad).toMatchObject({
    inUse: { routes: 1, spec: { routes: [{ match: { actionRef: 'good' } }] } },
    conditions: expect.arrayContaining([
      expect.objectContaining({
        type: 'Stalled',
        status: 'True',
        message: expect.stringMatching(/spec\.routes\[0\]\.match\.expr.*generation \d+ stays in use/),
      }),
    ]),
  });
  expect(bad.inUse?.generation).toBe((bad.observedGeneration ?? 0) - 1);
  await fixture.restart();
  const name = await fixture.respond('good', { path: 'a', contents: 'b' });
  await fixture.statusIs(name, ({ phase }) => expect(phase).toBe('Succeeded'));
  expect(fixture.responder.isConfigured()).toBe(true);
  const good = await fixture.configure({ routes: [{ match: { actionRef: 'better' }, provider }] });
  expect(good.inUse).toMatchObject({ generation: good.observedGeneration, routes: 1 });
  expect(good.inUse?.spec).toBeUndefined();
});

it('uses one configuration, and reports the others as unused', async () => {
  const { client } = fixture.platform;
  const metadata = { name: 'another', namespace: configNamespace };
  await client.apply(
    GitOpsResponderConfig,
    { metadata, spec: { routes: [{ provider }] } },
    { fieldManager: 't' },
  );
  await fixture.responder.rest();
  const another = await client.get(GitOpsResponderConfig, metadata);
  expect(another.status?.conditions).toContainEqual(
    expect.objectContaining({ type: 'Ready', status: 'False', reason: 'NotUsed' }),
  );
  await client.delete(GitOpsResponderConfig, { name: 'default', namespace: configNamespace });
  const name = await fixture.respond('anything', { path: 'a', contents: 'b' });
  await fixture.statusIs(name, ({ route }) => expect(route?.config).toBe('another'));
});

it('does not change responses that it does not handle', async () => {
  const other = await fixture.respond('x', { path: 'a', contents: 'b' }, { responder: { name: 'another' } });
  const freeze = await fixture.respond('x', {}, { action: { type: 'PodFreeze', actionRef: 'x' } });
  const unnamed = await fixture.respond('x', { path: 'a', contents: 'b' }, { responder: {} });
  const own = await fixture.respond('x', { path: 'a', contents: 'b' });
  await fixture.statusIs(own, ({ phase }) => expect(phase).toBe('Succeeded'));
  await fixture.responder.rest();
  for (const name of [other, freeze, unnamed]) expect(await fixture.status(name)).toEqual({});
});
