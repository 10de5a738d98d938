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
