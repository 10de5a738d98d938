import { generateKeyPairSync } from 'node:crypto';
import { afterEach, expect, test } from '@jest/globals';
import { field } from '../testing/client.js';
import { closeHarnesses, startHarness, type Harness } from '../testing/harness.js';

afterEach(closeHarnesses);

const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const { n = '', e = '' } = publicKey.export({ format: 'jwk' });
const [modulus, exponent] = [n, e].map((part) => Buffer.from(part, 'base64url').toString('base64'));

async function registrationToken({ client, token }: Harness, purpose = 'registration'): Promise<string> {
  const { json } = await client.rest('POST', `orgs/acme/actions/runners/${purpose}-token`, token);
  return String(json['token']);
}

test('a registration token gives access to the tenant, in which an agent can be created, listed and deleted', async () => {
  const harness = await startHarness();
  const { service, client } = harness;
  const exchanged = await client.send('POST', `${service.urls.rest}/actions/runner-registration`, {
    token: await registrationToken(harness),
    scheme: 'RemoteAuth',
    body: { url: `${service.urls.web}/acme`, runner_event: 'register' },
  });
  expect(exchanged.json).toMatchObject({ token_schema: 'OAuthAccessToken' });
  expect(exchanged.json).not.toHaveProperty('use_v2_flow');
  const tenant = { token: String(exchanged.json['token']) };
  const agents = `${String(exchanged.json['url'])}_apis/distributedtask/pools/1/agents`;
  const body = {
    name: 'a1',
    version: '2.335.1',
    labels: [{ name: 'linux', type: 'user' }],
    authorization: { publicKey: { exponent, modulus } },
  };
  const created = await client.send('POST', agents, { ...tenant, body });
  expect(created.json).toMatchObject({ name: 'a1', properties: { UseV2Flow: { $value: true } } });
  expect((await client.send('POST', agents, { ...tenant, body })).status).toBe(409);
  expect((await client.send('GET', `${agents}?agentName=a1`, tenant)).json).toMatchObject({ count: 1 });
  const agent = `${agents}/${String(created.json['id'])}`;
  expect((await client.send('DELETE', agent, tenant)).status).toBe(204);
  expect((await client.send('DELETE', agent, tenant)).status).toBe(404);
  expect(service.violations).toEqual([]);
});

test('the runner-admin endpoints register a runner with the key in the request', async () => {
  const harness = await startHarness({ runnerAdmin: true });
  const { service, client } = harness;
  const register = async (token: string) =>
    client.send('POST', `${service.urls.rest}/actions/runners/register`, {
      token,
      scheme: 'RemoteAuth',
      body: {
        url: `${service.urls.web}/acme`,
        group_id: 1,
        name: 'a1',
        version: '2.335.1',
        updates_disabled: true,
        ephemeral: false,
        labels: [{ name: 'linux', type: 'user' }],
        public_key: `<RSAKeyValue><Modulus>${String(modulus)}</Modulus><Exponent>${String(exponent)}</Exponent></RSAKeyValue>`,
      },
    });
  const answer = await register(await registrationToken(harness));
  expect(answer.status).toBe(200);
  expect(field(answer.json, 'authorization', 'server_url')).toBe(`${service.urls.broker}/`);
  expect(service.violations).toEqual([]);
  expect((await register(await registrationToken(harness, 'remove'))).status).toBe(401);
  expect(service.violations.map(({ rule }) => rule)).toEqual(['wrong-credential']);
  const expired = await registrationToken(harness);
  await harness.clock.advance(3_600_000);
  expect((await register(expired)).status).toBe(404);
});
