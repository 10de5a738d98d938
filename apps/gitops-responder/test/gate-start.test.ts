import { Gate, timestampOf } from '@interlock/api';
import { ensureNamespace } from '@interlock/stack';
import { expect, it } from '@jest/globals';
import { useFixture } from './harness/fixture.js';

const fixture = useFixture();

it('reads an open gate before it opens the first pull request of a route that names a gate', async () => {
  const { client } = fixture.platform;
  const gate = { name: 'freeze', namespace: 'security' };
  await ensureNamespace(client, gate.namespace);
  await client.apply(Gate, { metadata: gate, spec: {} }, { fieldManager: 'team' });
  const validUntil = timestampOf(fixture.clock.now() + 3_600_000);
  const status = { state: 'Open' as const, message: 'nobody closes it', validUntil };
  await client.apply(
    Gate,
    { metadata: gate, status },
    { subresource: 'status', fieldManager: 'gate-controller' },
  );
  const target = await fixture.target({ 'a.txt': 'a\n' });
  const name = await fixture.respond(target.actionRef, { path: 'a.txt', contents: 'b\n' });
  await fixture.route(target.route({ gateRef: gate, onGateClosed: 'Proceed' }));
  await fixture.statusIs(name, ({ phase }) => expect(phase).toBe('Succeeded'));
  expect((await target.pulls())[0]?.body).not.toContain('is closed');
});
