import { afterEach, expect, test } from '@jest/globals';
import { field } from '../testing/client.js';
import { closeHarnesses, startHarness } from '../testing/harness.js';

afterEach(closeHarnesses);

const guid = /^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/;

test('anybody can read the connection data of the tenant, which the runner reads before it creates a session', async () => {
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
