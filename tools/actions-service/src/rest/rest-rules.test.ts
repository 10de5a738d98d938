import { afterEach, expect, test } from '@jest/globals';
import { closeHarnesses, startHarness } from '../testing/harness.js';

afterEach(closeHarnesses);

const runners = 'orgs/acme/actions/runners';

test('a request without a User-Agent is refused, as a violation', async () => {
  const { service, client, token } = await startHarness();
  const url = `${service.urls.rest}/${runners}`;
  const answer = await client.send('GET', url, { token, headers: { 'user-agent': '' } });
  expect(answer.status).toBe(403);
  expect(answer.text).toContain('User-Agent');
  expect(service.violations.map(({ rule }) => rule)).toEqual(['malformed-request']);
});

test('a JSON body is accepted with any content type, as the examples with curl in the documentation of GitHub send it', async () => {
  const { service, client, token } = await startHarness();
  const answer = await client.send('POST', `${service.urls.rest}/${runners}/generate-jitconfig`, {
    token,
    body: { name: 'r1', runner_group_id: 1, labels: ['linux'] },
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  expect(answer.status).toBe(201);
  expect(service.violations).toEqual([]);
});

test.each([
  [1, ['next 2', 'last 3']],
  [2, ['prev 1', 'next 3', 'last 3', 'first 1']],
  [3, ['prev 2', 'first 1']],
])('page %i of three links to the other pages', async (page, links) => {
  const { client, token } = await startHarness();
  for (const name of ['a', 'b', 'c', 'd', 'e']) await client.register(token, name);
  const { headers } = await client.rest('GET', `${runners}?per_page=2&page=${page}`, token);
  const found = String(headers['link']).matchAll(/<[^>]*[?&]page=(\d+)[^>]*>; rel="(\w+)"/g);
  expect([...found].map(([, number, rel]) => `${rel} ${number}`)).toEqual(links);
});

test('a path with a slash at its end is unknown', async () => {
  const { service, client, token } = await startHarness();
  expect((await client.rest('GET', `${runners}/`, token)).status).toBe(404);
  expect(service.violations.map(({ rule }) => rule)).toEqual(['unknown-route']);
});

test('the password of basic authentication may be a token of the installation, as config.sh sends it', async () => {
  const { service, client, token } = await startHarness();
  const basic = Buffer.from(`github:${token}`).toString('base64');
  const url = `${service.urls.rest}/${runners}/registration-token`;
  expect((await client.send('POST', url, { token: basic, scheme: 'basic' })).status).toBe(201);
  expect((await client.send('POST', url, { token, scheme: 'token' })).status).toBe(201);
  expect(service.violations).toEqual([]);
});

test('a credential is refused, as a violation, with a scheme that GitHub does not accept for it', async () => {
  const { service, client, token, connect } = await startHarness();
  const session = await connect('r1');
  const url = `${service.urls.broker}/session`;
  expect((await client.send('DELETE', url, { token: session.token, scheme: 'token' })).status).toBe(401);
  const list = `${service.urls.rest}/${runners}`;
  expect((await client.send('GET', list, { token, scheme: 'RemoteAuth' })).status).toBe(401);
  const app = `${service.urls.rest}/app`;
  expect((await client.send('GET', app, { token: client.appJwt(), scheme: 'token' })).status).toBe(401);
  expect(service.violations.map(({ rule }) => rule)).toEqual(Array(3).fill('wrong-credential'));
});
