import { generateKeyPairSync } from 'node:crypto';
import { afterEach, expect, test } from '@jest/globals';
import { field } from '../testing/client.js';
import { closeHarnesses, startHarness, type Harness } from '../testing/harness.js';

afterEach(closeHarnesses);

const { n = '', e = '' } = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({
  format: 'jwk',
});
const [modulus, exponent] = [n, e].map((part) => Buffer.from(part, 'base64url').toString('base64'));
const agent = {
  name: 'a1',
  version: '2.336.0',
  disableUpdate: true,
  labels: [{ id: 0, name: 'linux', type: 'user' }],
  authorization: { publicKey: { exponent, modulus } },
};
const guid = /^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/;

async function ownerToken({ client, token }: Harness, purpose: 'registration' | 'remove'): Promise<string> {
  const { json } = await client.rest('POST', `orgs/acme/actions/runners/${purpose}-token`, token);
  return String(json['token']);
}

async function tenantOf(harness: Harness): Promise<{ url: string; token: string }> {
  const { service, client } = harness;
  const { json } = await client.send('POST', `${service.urls.rest}/actions/runner-registration`, {
    token: await ownerToken(harness, 'registration'),
    scheme: 'RemoteAuth',
    body: { url: `${service.urls.web}/acme`, runner_event: 'register' },
  });
  return { url: `${String(json['url'])}_apis`, token: String(json['token']) };
}

test('the connection data of the tenant needs no credential, because the runner reads it before it creates a session', async () => {
  const { service, client, connect } = await startHarness();
  const { token } = await connect('r1');
  const url = `${service.urls.tenant}/_apis/connectionData?connectOptions=1&lastChangeId=-1&lastChangeId64=-1`;
  for (const credential of [token, undefined]) {
    const { status, json } = await client.send('GET', url, { token: credential });
    expect([status, json]).toMatchObject([200, { instanceId: expect.stringMatching(guid) }]);
    const definitions = field(json, 'locationServiceData', 'serviceDefinitions');
    expect(definitions).toContainEqual(
      expect.objectContaining({ identifier: 'e298ef32-5878-4cab-993c-043836571f42', displayName: 'agents' }),
    );
  }
  expect(service.violations).toEqual([]);
});

test('an agent of the tenant can be replaced, and keeps its id', async () => {
  const harness = await startHarness();
  const { service, client } = harness;
  const { url, token } = await tenantOf(harness);
  const agents = `${url}/distributedtask/pools/1/agents`;
  const created = await client.send('POST', agents, { token, body: agent });
  expect(created.json).toMatchObject({ name: 'a1', disableUpdate: true });
  const id = Number(created.json['id']);
  const body = { ...agent, id, labels: [{ name: 'gpu', type: 'user' }] };
  const replaced = await client.send('PUT', `${agents}/${id}`, { token, body });
  expect(replaced).toMatchObject({ status: 200, json: { id, labels: [{ name: 'gpu' }] } });
  expect((await client.send('PUT', `${agents}/99`, { token, body })).status).toBe(404);
  expect(service.runners()).toMatchObject([{ id, labels: ['gpu'] }]);
  expect(service.violations).toEqual([]);
});

test('config.sh registers, finds, replaces and removes a runner with the tokens of its owner', async () => {
  const harness = await startHarness({ runnerAdmin: true });
  const { service, client } = harness;
  const call = (token: string, method: string, path: string, body?: object) =>
    client.send(method, `${service.urls.rest}/${path}`, { token, scheme: 'RemoteAuth', body });
  const registration = await ownerToken(harness, 'registration');
  const groups = await call(registration, 'GET', 'orgs/acme/actions/runner-groups');
  expect(groups.json).toMatchObject({ total_count: 1, runner_groups: [{ default: true }] });
  const body = {
    ...{ url: `${service.urls.web}/acme`, group_id: 1, name: 'a1', version: '2.336.0' },
    ...{ updates_disabled: true, ephemeral: false, labels: [{ name: 'linux' }] },
    public_key: `<RSAKeyValue><Modulus>${modulus}</Modulus><Exponent>${exponent}</Exponent></RSAKeyValue>`,
  };
  const { json } = await call(registration, 'POST', 'actions/runners/register', body);
  const found = await call(registration, 'GET', 'orgs/acme/actions/runners?name=a1');
  expect(found.json).toMatchObject({ total_count: 1, runners: [{ id: json['id'], name: 'a1' }] });
  const again = { ...body, runner_id: json['id'], replace: true };
  const replaced = await call(registration, 'POST', 'actions/runners/register', again);
  expect(replaced).toMatchObject({ status: 200, json: { id: json['id'] } });
  const removal = await ownerToken(harness, 'remove');
  const runner = `orgs/acme/actions/runners/${String(json['id'])}`;
  expect((await call(removal, 'DELETE', runner)).status).toBe(204);
  expect(service.violations).toEqual([]);
  expect((await call(removal, 'GET', 'orgs/other/actions/runners')).status).toBe(401);
  expect((await call(registration, 'GET', 'orgs/other/actions/runners')).status).toBe(404);
  expect(service.violations.map(({ rule }) => rule)).toEqual(['wrong-credential', 'wrong-credential']);
});
