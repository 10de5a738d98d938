import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { groups } from './groups/index.js';
import { caseTimeoutMs, Run } from './suite/run.js';
import { configMap } from './suite/objects.js';
import { removeNamespaces } from './suite/remove.js';
import { createNamespace } from './suite/scope.js';
import { openEmbedded, type OpenServer } from './suite/server.js';
import { connect, type Target } from './suite/target.js';

const needNodes = groups.filter(({ cases }) => cases.some(({ needs }) => needs.includes('nodes')));
const others = groups.filter((group) => !needNodes.includes(group));

describe('The embedded server', () => {
  let server: OpenServer;
  let target: Target;
  let run: Run;

  beforeAll(async () => {
    server = await openEmbedded();
    target = await connect({ ...server, webhookHost: 'localhost' });
    run = new Run(target);
  });
  afterAll(async () => {
    await run.close();
    await target.close();
    await server.close();
  });

  describe.each(others)('$name', (group) => {
    it.each([...group.cases])('$name', (one) => run.runCase(group, one), caseTimeoutMs + 30_000);
  });

  it('has no remaining namespaces after a run, even without a controller manager', async () => {
    const api = target.api(AbortSignal.timeout(caseTimeoutMs));
    const [ours, other] = [`conformance-${run.id}0-left`, `conformance-${run.id}1-left`];
    await createNamespace(api, ours, `${run.id}0`);
    await createNamespace(api, other, `${run.id}1`);
    await api.post(`/api/v1/namespaces/${ours}/configmaps`, configMap('left'));
    await removeNamespaces({ ...target, needs: new Set(['core']) }, `${run.id}0`);
    expect((await api.get(`/api/v1/namespaces/${ours}`)).status).toBe(404);
    expect((await api.get(`/api/v1/namespaces/${other}`)).body.metadata).not.toHaveProperty(
      'deletionTimestamp',
    );
    await removeNamespaces(target, `${run.id}1`);
    expect((await api.get(`/api/v1/namespaces/${other}`)).status).toBe(404);
  });
});

describe('The embedded server with a simulated node', () => {
  let server: OpenServer;
  let target: Target;
  let run: Run;

  beforeAll(async () => {
    server = await openEmbedded([{ name: 'node-1' }]);
    target = await connect(server);
    run = new Run(target);
  });
  afterAll(async () => {
    await run.close();
    await target.close();
    await server.close();
  });

  it('is recognized as a server with a node', () => {
    expect(target.needs).toContain('nodes');
  });

  describe.each(needNodes)('$name', (group) => {
    it.each([...group.cases])('$name', (one) => run.runCase(group, one), caseTimeoutMs + 30_000);
  });
});
