import { beforeAll, describe, expect, it } from '@jest/globals';
import { objectsAt, textsAt } from '../object.js';
import {
  configMap,
  crds,
  gadget,
  gadgetDefinition,
  gadgets,
  metadataOf,
  useCluster,
} from '../testing/harness.js';
import type { JsonObject } from '../schema/types.js';
import type { Reply } from '../testing/client.js';

const cms = '/api/v1/namespaces/default/configmaps';
const api = useCluster();

const gone = ({ status }: Reply): boolean => status === 404;

beforeAll(async () => {
  await api.create(crds, gadgetDefinition());
});

describe('delete', () => {
  it('returns a Status, or the object that waits for its finalizers', async () => {
    const made = await api.create(gadgets, gadget('plain'));
    const { uid } = metadataOf(made);
    expect((await api.remove(`${gadgets}/plain`)).body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: 'plain', group: 'test.dev', kind: 'gadgets', uid },
    });
    await api.create(gadgets, gadget('held', {}, { finalizers: ['test.dev/x'] }));
    const held = await api.remove(`${gadgets}/held`);
    expect(metadataOf(held)).toMatchObject({
      deletionTimestamp: expect.any(String),
      deletionGracePeriodSeconds: 0,
      generation: 2,
    });
    const again = await api.remove(`${gadgets}/held`);
    expect(metadataOf(again).resourceVersion).toBe(metadataOf(held).resourceVersion);
    const more = await api.patch(`${gadgets}/held`, {
      metadata: { finalizers: ['test.dev/x', 'test.dev/y'] },
    });
    expect([more.status, objectsAt(more.body, 'details', 'causes').length]).toEqual([422, 2]);
    const last = await api.patch(`${gadgets}/held`, { metadata: { finalizers: null } });
    expect([last.status, metadataOf(last).resourceVersion]).toEqual([200, metadataOf(held).resourceVersion]);
    expect((await api.get(`${gadgets}/held`)).status).toBe(404);
  });

  it('respects preconditions', async () => {
    const made = await api.create(gadgets, gadget('sure'));
    const wrong = await api.remove(`${gadgets}/sure`, { preconditions: { uid: 'another' } });
    expect([wrong.status, wrong.body['message']]).toEqual([
      409,
      `Operation cannot be fulfilled on Gadget.test.dev "sure": the UID in the precondition (another) does not match the UID in record (${metadataOf(made).uid}). The object might have been deleted and then recreated`,
    ]);
    expect((await api.remove(`${gadgets}/sure`, { preconditions: { resourceVersion: '1' } })).status).toBe(
      409,
    );
    expect((await api.remove(`${gadgets}/sure?dryRun=All`)).status).toBe(200);
    expect(
      (await api.remove(`${gadgets}/sure`, { preconditions: { uid: metadataOf(made).uid } })).status,
    ).toBe(200);
    expect((await api.remove(`${gadgets}/sure`)).status).toBe(404);
  });

  it('waits for the grace period of a pod on a node', async () => {
    const pods = '/api/v1/namespaces/default/pods';
    const pod = (name: string, spec: JsonObject): JsonObject => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name },
      spec: { containers: [{ name: 'c', image: 'x' }], ...spec },
    });
    await api.create(pods, pod('nowhere', {}));
    await api.create(pods, pod('running', { nodeName: 'n' }));
    await api.remove(`${pods}/nowhere`);
    expect((await api.get(`${pods}/nowhere`)).status).toBe(404);
    expect(metadataOf(await api.remove(`${pods}/running`))).toMatchObject({ deletionGracePeriodSeconds: 30 });
    expect((await api.get(`${pods}/running`)).status).toBe(200);
    await api.remove(`${pods}/running`, { gracePeriodSeconds: 0 });
    expect((await api.get(`${pods}/running`)).status).toBe(404);
  });

  it('shortens the grace period of a pod from the first request, by a request that states a shorter one', async () => {
    const pods = '/api/v1/namespaces/default/pods';
    const spec = {
      nodeName: 'n',
      containers: [{ name: 'c', image: 'x' }],
      terminationGracePeriodSeconds: 35,
    };
    await api.create(pods, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'running' }, spec });
    const remove = async (options: JsonObject = {}) => {
      const metadata = metadataOf(await api.remove(`${pods}/running`, options));
      const { deletionGracePeriodSeconds: seconds, deletionTimestamp } = metadata;
      return [seconds, Date.parse(String(deletionTimestamp)) - Number(seconds) * 1000];
    };
    const [first, begin] = await remove({ gracePeriodSeconds: 285 });
    expect(first).toBe(285);
    expect(await remove()).toEqual([285, begin]);
    expect(await remove({ gracePeriodSeconds: 600 })).toEqual([285, begin]);
    expect(await remove({ gracePeriodSeconds: 35 })).toEqual([35, begin]);
  });
});

describe('garbage collection', () => {
  async function family(name: string, block = true): Promise<JsonObject> {
    const owner = await api.create(gadgets, gadget(name));
    const { uid } = metadataOf(owner);
    const reference = {
      apiVersion: 'test.dev/v1',
      kind: 'Gadget',
      name,
      uid,
      blockOwnerDeletion: block,
      controller: true,
    };
    await api.create(cms, configMap(`${name}-child`, {}, { ownerReferences: [reference] }));
    return reference;
  }

  it('deletes dependents after their owner', async () => {
    await family('back');
    await api.remove(`${gadgets}/back`);
    await api.until(`${cms}/back-child`, gone);
  });

  it('deletes objects whose owner never existed', async () => {
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'ghost', uid: 'ghost' };
    await api.create(cms, configMap('haunted', {}, { ownerReferences: [reference] }));
    await api.until(`${cms}/haunted`, gone);
  });

  it('keeps an object while an owner exists, and removes references to the other owners', async () => {
    const one = await family('one');
    const two = await api.create(gadgets, gadget('two'));
    const second = { apiVersion: 'test.dev/v1', kind: 'Gadget', name: 'two', uid: metadataOf(two).uid };
    await api.patch(`${cms}/one-child`, {
      metadata: { ownerReferences: [{ ...one, controller: false }, second] },
    });
    await api.remove(`${gadgets}/one`);
    const child = await api.until(
      `${cms}/one-child`,
      (reply) => objectsAt(reply.body, 'metadata', 'ownerReferences').length === 1,
    );
    expect(metadataOf(child)['ownerReferences']).toEqual([second]);
    await api.remove(`${gadgets}/two`);
    await api.until(`${cms}/one-child`, gone);
  });

  it('does not delete orphaned dependents', async () => {
    await family('gone');
    await api.remove(`${gadgets}/gone?propagationPolicy=Orphan`);
    await api.until(`${gadgets}/gone`, gone);
    const child = await api.get(`${cms}/gone-child`);
    expect([child.status, metadataOf(child)['ownerReferences']]).toEqual([200, undefined]);
  });

  it('deletes an owner in the foreground after the dependents that block it', async () => {
    await family('front');
    await api.patch(`${cms}/front-child`, { metadata: { finalizers: ['test.dev/x'] } });
    const deleted = await api.remove(`${gadgets}/front`, { propagationPolicy: 'Foreground' });
    expect(metadataOf(deleted)['finalizers']).toEqual(['foregroundDeletion']);
    await api.until(`${cms}/front-child`, (reply) => metadataOf(reply)['deletionTimestamp'] !== undefined);
    expect((await api.get(`${gadgets}/front`)).status).toBe(200);
    await api.patch(`${cms}/front-child`, { metadata: { finalizers: null } });
    await api.until(`${gadgets}/front`, gone);
  });

  it('does not wait for dependents that do not block the deletion', async () => {
    await family('free', false);
    await api.patch(`${cms}/free-child`, { metadata: { finalizers: ['test.dev/x'] } });
    await api.remove(`${gadgets}/free`, { propagationPolicy: 'Foreground' });
    await api.until(`${gadgets}/free`, gone);
    await api.patch(`${cms}/free-child`, { metadata: { finalizers: null } });
    await api.until(`${cms}/free-child`, gone);
  });
});

describe('namespaces', () => {
  const namespace = (name: string): JsonObject => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name },
  });

  it('start with a ServiceAccount and the certificate of the cluster', async () => {
    const made = await api.create('/api/v1/namespaces', namespace('fresh'));
    expect(made.body).toMatchObject({
      metadata: { labels: { 'kubernetes.io/metadata.name': 'fresh' } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });
    const path = '/api/v1/namespaces/fresh';
    await api.until(`${path}/serviceaccounts/default`, ({ status }) => status === 200);
    const root = await api.until(`${path}/configmaps/kube-root-ca.crt`, ({ status }) => status === 200);
    expect(root.body['data']).toEqual({ 'ca.crt': api.cluster.caCert });
    await api.remove(`${path}/serviceaccounts/default`);
    await api.until(`${path}/serviceaccounts/default`, ({ status }) => status === 200);
  });

  it('are deleted with their content', async () => {
    await api.create('/api/v1/namespaces', namespace('going'));
    const path = '/api/v1/namespaces/going';
    await api.create(`${path}/configmaps`, configMap('a'));
    await api.create(
      '/apis/test.dev/v1/namespaces/going/gadgets',
      gadget('held', {}, { finalizers: ['test.dev/x'] }),
    );
    const deleted = await api.remove(path);
    expect(deleted.body).toMatchObject({
      status: { phase: 'Terminating' },
      spec: { finalizers: ['kubernetes'] },
    });
    const late = await api.create(`${path}/configmaps`, configMap('late'));
    expect([late.status, late.body['message'], late.body['details']]).toEqual([
      403,
      'configmaps "late" is forbidden: unable to create new content in namespace going because it is being terminated',
      {
        name: 'late',
        kind: 'configmaps',
        causes: [
          {
            reason: 'NamespaceTerminating',
            message: 'namespace going is being terminated',
            field: 'metadata.namespace',
          },
        ],
      },
    ]);
    const waiting = await api.until(
      path,
      (reply) => objectsAt(reply.body, 'status', 'conditions').length > 0,
    );
    const messages = objectsAt(waiting.body, 'status', 'conditions').map(({ message }) => message);
    expect(messages).toContain(
      'Some content in the namespace has finalizers remaining: test.dev/x in 1 resource instances',
    );
    expect((await api.get(`${path}/configmaps/a`)).status).toBe(404);
    await api.patch('/apis/test.dev/v1/namespaces/going/gadgets/held', { metadata: { finalizers: null } });
    await api.until(path, gone);
  });

  it('wait for their own finalizers', async () => {
    const body = namespace('own');
    await api.create('/api/v1/namespaces', body);
    const path = '/api/v1/namespaces/own';
    await api.put(`${path}/finalize`, { ...body, spec: { finalizers: ['kubernetes', 'test.dev/x'] } });
    await api.remove(path);
    await api.until(path, (reply) => textsAt(reply.body, 'spec', 'finalizers').join() === 'test.dev/x');
    await api.put(`${path}/finalize`, { ...body, spec: { finalizers: [] } });
    await api.until(path, gone);
  });

  it('cannot be deleted if the cluster requires them', async () => {
    const { status, body } = await api.remove('/api/v1/namespaces/default');
    expect([status, body['message']]).toEqual([
      403,
      'namespaces "default" is forbidden: this namespace may not be deleted',
    ]);
  });
});
