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
