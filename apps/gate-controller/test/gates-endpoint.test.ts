import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { gatingGroup } from '@interlock/api';
import { Role, RoleBinding, ServiceAccount } from '@interlock/kube';
import { gate, manifests, scheduleKeeper } from './harness/manifests.js';
import { ask, type Answer } from './harness/requests.js';
import { Fixture } from './harness/fixture.js';

let fixture: Fixture;
let namespace: string;
let token: string;

beforeAll(async () => {
  fixture = await Fixture.start({ servesAdmission: true });
  namespace = await fixture.namespace();
  token = await account('reader');
  await fixture.client.create(Role, {
    metadata: { name: 'reader', namespace },
    rules: [{ apiGroups: [gatingGroup], resources: ['gates'], verbs: ['get'] }],
  });
  await grant('reader');
});
afterAll(() => fixture.close());

/** Returns a token of a new service account. */
async function account(name: string): Promise<string> {
  await fixture.client.create(ServiceAccount, { metadata: { name, namespace } });
  return fixture.tokenOf(namespace, name);
}

async function grant(name: string): Promise<void> {
  await fixture.client.create(RoleBinding, {
    metadata: { name, namespace },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
    subjects: [{ kind: 'ServiceAccount', name, namespace }],
  });
}

interface Question {
  name?: string;
  authorization?: string;
  at?: string;
  method?: 'GET' | 'POST';
}

function get({
  name = 'freeze',
  authorization = `Bearer ${token}`,
  at,
  method = 'GET',
}: Question = {}): Promise<Answer> {
  const query = at === undefined ? '' : `?at=${encodeURIComponent(at)}`;
  return ask(`http://127.0.0.1:${fixture.process.ports.gates}/v1/gates/${namespace}/${name}${query}`, {
    method,
    headers: authorization === '' ? {} : { authorization },
    ...(method === 'POST' && { body: '{"name":"podinfo","phase":"Progressing"}' }),
  });
}

beforeAll(async () => {
  const window = { start: '0 0 24 12 *', duration: '72h', description: 'Christmas' };
  const xmas = scheduleKeeper('freeze', { timeZone: 'Europe/Berlin', closed: [window] }, 'xmas');
  await fixture.apply(namespace, manifests(gate('freeze'), xmas, gate('shut')));
});
beforeEach(async () => {
  await fixture.gateIs(namespace, 'freeze', ({ status }) => expect(status?.state).toBeDefined());
  await fixture.gateIs(namespace, 'shut', ({ status }) => expect(status?.state).toBe('Closed'));
});

describe('a request for a gate', () => {
  it('is answered with 403 and the state if the gate is closed', async () => {
    const { code, headers, body } = await get({ name: 'shut' });
    const { status } = await fixture.gate(namespace, 'shut');
    expect([code, headers['cache-control']]).toEqual([403, 'no-store']);
    expect(body).toEqual({
      namespace,
      name: 'shut',
      state: 'Closed',
      cause: 'Default',
      message: status?.message,
      since: status?.since,
      validUntil: status?.validUntil,
    });
  });

  it('is answered with 200 if the gate is open, also with POST or with a token as the password of Basic authentication', async () => {
    const at = '2026-06-01T00:00:00Z';
    expect((await get({ at })).code).toBe(200);
    expect((await get({ at, method: 'POST' })).code).toBe(200);
    const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
    expect((await get({ at, authorization: basic(`flagger:${token}`) })).code).toBe(200);
    expect((await get({ at, authorization: basic(token) })).code).toBe(401);
  });

  it('is answered with 404 if the gate does not exist', async () => {
    const { code, body } = await get({ name: 'absent' });
    expect([code, body]).toEqual([404, { error: `Gate ${namespace}/absent does not exist` }]);
  });
});

describe('a request for another time', () => {
  it.each([
    ['2027-12-23T22:59:59Z', 200, 'Open', '2027-12-23T23:00:00Z'],
    ['2027-12-24T00:00:00+01:00', 403, 'Closed', '2027-12-26T23:00:00Z'],
    ['2027-12-26T22:59:59.999Z', 403, 'Closed', '2027-12-26T23:00:00Z'],
    ['2027-12-27T00:00:00+01:00', 200, 'Open', '2028-12-23T23:00:00Z'],
  ])('is answered for %s with %d', async (at, code, state, next) => {
    const answer = await get({ at });
    expect([answer.code, answer.body]).toMatchObject([
      code,
      { state, cause: 'GateKeeper/xmas', next: { at: next } },
    ]);
  });

  it.each([
    ['tomorrow', 'parameter at is not an RFC 3339 time; write for example 2026-12-24T18:00:00Z'],
    ['2027-12-24', 'parameter at is not an RFC 3339 time; write for example 2026-12-24T18:00:00Z'],
    ['2027-13-24T00:00:00Z', 'parameter at is not an RFC 3339 time; write for example 2026-12-24T18:00:00Z'],
    ['', 'parameter at is not an RFC 3339 time; write for example 2026-12-24T18:00:00Z'],
    ['2100-01-01T00:00:00Z', 'parameter at is more than ten years away'],
  ])('is answered with 400 for the time %j', async (at, error) => {
    expect(await get({ at })).toMatchObject({ code: 400, body: { error } });
  });

  it('is answered with 400 if it contains two times', async () => {
    const url = `http://127.0.0.1:${fixture.process.ports.gates}/v1/gates/${namespace}/freeze`;
    const answer = await ask(`${url}?at=a&at=b`, { headers: { authorization: `Bearer ${token}` } });
    expect(answer).toMatchObject({ code: 400, body: { error: 'parameter at is given twice' } });
  });
});

describe('a client of the endpoint', () => {
  it.each(['', 'Bearer', 'Bearer nonsense', 'Digest x', 'Basic !', `Bearer ${'x'.repeat(9_000)}`])(
    'is answered with 401 for invalid credentials: %#',
    async (authorization) => {
      const { code, headers, body } = await get({ authorization });
      expect([code, body['state']]).toEqual([401, undefined]);
      expect(headers['www-authenticate']).toContain('Bearer');
    },
  );

  it('cannot find out whether a gate that it may not read exists', async () => {
    const other = await account('other');
    const authorization = `Bearer ${other}`;
    for (const name of ['freeze', 'absent']) {
      expect(await get({ name, authorization })).toMatchObject({
        code: 403,
        body: { error: `the owner of the token may not get Gate ${namespace}/${name}` },
      });
    }
    await grant('other');
    fixture.forward(11_000);
    expect((await get({ name: 'shut', authorization })).body).toMatchObject({ state: 'Closed' });
  });

  it('is refused some seconds after its ServiceAccount is deleted', async () => {
    const authorization = `Bearer ${await account('brief')}`;
    await grant('brief');
    expect((await get({ name: 'shut', authorization })).body).toHaveProperty('state');
    await fixture.client.delete(ServiceAccount, { namespace, name: 'brief' });
    fixture.forward(11_000);
    expect((await get({ name: 'shut', authorization })).code).toBe(401);
  });
});
