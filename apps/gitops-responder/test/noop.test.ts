import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { GitOpsResponderConfig } from '@interlock/api';
import { World } from './harness/world.js';
import { configNamespace } from './harness/responder-process.js';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.close());

const provider = { kind: 'noop', repository: 'ninsun-labs/ugallu-gitops', baseBranch: 'main' } as const;

it('waits for a configuration, and for the event that a response names', async () => {
  const name = await world.respond('x', { path: 'a' }, { securityEventRef: { name: 'late' } });
  const routed = (reason: string) =>
    expect.arrayContaining([expect.objectContaining({ type: 'Routed', status: 'False', reason })]);
  await world.statusIs(name, (status) =>
    expect(status).toMatchObject({ phase: 'Pending', conditions: routed('EventNotFound') }),
  );
  await world.event('late');
  await world.statusIs(name, (status) =>
    expect(status).toMatchObject({ phase: 'Pending', conditions: routed('NoConfiguration') }),
  );
  await world.configure({ routes: [{ match: { actionRef: 'y' }, provider }] });
  await world.statusIs(name, (status) => expect(status).toMatchObject({ conditions: routed('NoRoute') }));
  await world.responder.rest();
  expect(await world.responder.metric('ugallu_gitops_responder_routing_misses_total')).toBe(1);
  await world.configure({ routes: [{ match: { actionRef: 'x' }, provider }] });
  await world.statusIs(name, (status) =>
    expect(status).toMatchObject({
      phase: 'Failed',
      error: { type: 'Permanent', reason: 'InvalidParameters' },
    }),
  );
});

it('records what it would propose, and calls nobody', async () => {
  await world.configure({
    routes: [
      {
        provider,
        prTemplate: 'Triggered by `{{ .Source.SE.Type }}` on `{{ .Source.SE.Subject.Name }}`.',
      },
    ],
  });
  await world.event('se-1', { subject: { kind: 'ClusterRoleBinding', name: 'too-broad' } });
  const name = await world.respond(
    'revoke',
    { path: 'rbac/too-broad.yaml', delete: 'true' },
    { securityEventRef: { name: 'se-1' } },
  );
  const status = await world.statusIs(name, ({ phase }) => expect(phase).toBe('Succeeded'));
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
  expect(await world.responder.metric(metric, { provider: 'noop', outcome: 'Skipped' })).toBe(1);
});

it('refuses a response that asks for no change, as any provider does', async () => {
  const name = await world.respond('revoke', {});
  await world.statusIs(name, (status) =>
    expect(status).toMatchObject({ phase: 'Failed', error: { type: 'Permanent', reason: 'NoOperations' } }),
  );
});

it('keeps the last good configuration, also over a restart, and says so', async () => {
  await world.configure({ routes: [{ match: { actionRef: 'good' }, provider }] });
  const bad = await world.configure({ routes: [{ match: { expr: 'event.x ==' }, provider }] });
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
  await world.restart();
  const name = await world.respond('good', { path: 'a', contents: 'b' });
  await world.statusIs(name, ({ phase }) => expect(phase).toBe('Succeeded'));
  expect(world.responder.isConfigured()).toBe(true);
  const good = await world.configure({ routes: [{ match: { actionRef: 'better' }, provider }] });
  expect(good.inUse).toMatchObject({ generation: good.observedGeneration, routes: 1 });
  expect(good.inUse?.spec).toBeUndefined();
});

it('uses one configuration, and says of the others that they are not used', async () => {
  const { client } = world.platform;
  const metadata = { name: 'another', namespace: configNamespace };
  await client.apply(
    GitOpsResponderConfig,
    { metadata, spec: { routes: [{ provider }] } },
    { fieldManager: 't' },
  );
  await world.responder.rest();
  const another = await client.get(GitOpsResponderConfig, metadata);
  expect(another.status?.conditions).toContainEqual(
    expect.objectContaining({ type: 'Ready', status: 'False', reason: 'NotUsed' }),
  );
  await client.delete(GitOpsResponderConfig, { name: 'default', namespace: configNamespace });
  const name = await world.respond('anything', { path: 'a', contents: 'b' });
  await world.statusIs(name, ({ route }) => expect(route?.config).toBe('another'));
});

it('leaves alone what is not its own', async () => {
  const other = await world.respond('x', { path: 'a', contents: 'b' }, { responder: { name: 'another' } });
  const freeze = await world.respond('x', {}, { action: { type: 'PodFreeze', actionRef: 'x' } });
  const nobody = await world.respond('x', { path: 'a', contents: 'b' }, { responder: {} });
  const own = await world.respond('x', { path: 'a', contents: 'b' });
  await world.statusIs(own, ({ phase }) => expect(phase).toBe('Succeeded'));
  await world.responder.rest();
  for (const name of [other, freeze, nobody]) expect(await world.status(name)).toEqual({});
});
