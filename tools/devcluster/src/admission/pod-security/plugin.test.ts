import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../schema/types.js';
import { useCluster } from '../../testing/harness.js';
import type { Reply } from '../../testing/client.js';

const api = useCluster();
const namespaces = '/api/v1/namespaces';
let count = 0;

/** Creates a namespace with labels of Pod Security and returns its path. */
async function namespace(labels: Record<string, string>): Promise<string> {
  const name = `ps-${String((count += 1))}`;
  const prefixed = Object.entries(labels).map(([key, value]) => [`pod-security.kubernetes.io/${key}`, value]);
  const reply = await api.create(namespaces, {
    metadata: { name, labels: Object.fromEntries(prefixed) as JsonObject },
  });
  expect(reply.status).toBe(201);
  return `${namespaces}/${name}`;
}

function pod(name: string, spec: JsonObject = {}): JsonObject {
  return { metadata: { name }, spec: { containers: [{ name: 'c', image: 'x:1' }], ...spec } };
}

function warnings({ headers }: Reply): string[] {
  return [headers['warning'] ?? []].flat().map((text) => text.slice('299 - '.length));
}

describe('pods', () => {
  it('are refused at the enforced level, and cause warnings at the level warn', async () => {
    const path = await namespace({ enforce: 'baseline', warn: 'restricted', 'warn-version': 'v1.22' });
    const refused = await api.create(`${path}/pods`, pod('p', { hostNetwork: true }));
    expect(refused).toMatchObject({
      status: 403,
      body: {
        reason: 'Forbidden',
        message:
          'pods "p" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true)',
        details: { name: 'p', kind: 'pods' },
      },
    });
    expect(warnings(refused)).toEqual([]);
    const created = await api.create(`${path}/pods`, pod('p'));
    expect(created.status).toBe(201);
    expect(warnings(created)).toEqual([
      expect.stringContaining('would violate PodSecurity \\"restricted:v1.22\\"'),
    ]);
  });

  it('can be changed in fields that no check concerns, even if they violate the level', async () => {
    const path = await namespace({});
    await api.create(`${path}/pods`, pod('p', { hostNetwork: true }));
    await api.patch(path, { metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'baseline' } } });
    expect((await api.patch(`${path}/pods/p`, { metadata: { labels: { a: 'b' } } })).status).toBe(200);
    expect((await api.patch(`${path}/pods/p/status`, { status: { phase: 'Failed' } })).status).toBe(200);
    const image = { spec: { containers: [{ name: 'c', image: 'y:1' }] } };
    const strategic = { contentType: 'application/strategic-merge-patch+json' };
    expect((await api.patch(`${path}/pods/p`, image, strategic)).status).toBe(403);
    expect((await api.remove(`${path}/pods/p`)).status).toBe(200);
  });

  it('cause only warnings when a workload contains their template', async () => {
    const path = await namespace({ enforce: 'baseline', warn: 'baseline' });
    const template = {
      metadata: { labels: { a: 'b' } },
      spec: { containers: [{ name: 'c', image: 'x' }], hostPID: true },
    };
    const created = await api.create(`${path.replace('/api/v1', '/apis/apps/v1')}/deployments`, {
      metadata: { name: 'd' },
      spec: { paused: true, replicas: 0, selector: { matchLabels: { a: 'b' } }, template },
    });
    expect(created.status).toBe(201);
    expect(warnings(created)).toEqual([
      '"would violate PodSecurity \\"baseline:latest\\": host namespaces (hostPID=true)"',
    ]);
  });
});

describe('namespaces', () => {
  it('are refused with invalid labels if the labels change', async () => {
    const labels = { 'pod-security.kubernetes.io/enforce': 'strict' };
    const refused = await api.create(namespaces, { metadata: { name: 'bad', labels } });
    expect(refused).toMatchObject({
      status: 422,
      body: { details: { causes: [{ field: 'metadata.labels[pod-security.kubernetes.io/enforce]' }] } },
    });
    const path = await namespace({});
    expect((await api.patch(path, { metadata: { labels } })).status).toBe(422);
    expect((await api.get(path)).status).toBe(200);
  });

  it('cause warnings about pods that violate a stricter level, but not if the level is relaxed', async () => {
    const path = await namespace({ enforce: 'baseline' });
    await api.create(`${path}/pods`, pod('p'));
    const enforce = (level: string): Promise<Reply> =>
      api.patch(path, { metadata: { labels: { 'pod-security.kubernetes.io/enforce': level } } });
    const name = path.slice(namespaces.length + 1);
    expect(warnings(await enforce('restricted'))).toEqual([
      `"existing pods in namespace \\"${name}\\" violate the new PodSecurity enforce level \\"restricted:latest\\""`,
      '"p: allowPrivilegeEscalation != false, unrestricted capabilities, runAsNonRoot != true, seccompProfile"',
    ]);
    expect(warnings(await enforce('baseline'))).toEqual([]);
  });
});
