import { Gate, timestampOf } from '@interlock/api';
import { ensureNamespace } from '@interlock/stack';
import { beforeAll, expect, it } from '@jest/globals';
import { useFixture } from './harness/fixture.js';

const fixture = useFixture();
const gate = { name: 'freeze', namespace: 'security' };
const change = { path: 'a.txt', contents: 'b\n' };
beforeAll(() => ensureNamespace(fixture.platform.client, gate.namespace));

/** Creates a gate, or writes its status, as a team and the gate-controller do. */
async function turn(metadata: typeof gate, state: 'Open' | 'Closed', message: string): Promise<void> {
  const { client } = fixture.platform;
  await client.apply(Gate, { metadata, spec: {} }, { fieldManager: 'team' });
  const status = { state, message, validUntil: timestampOf(fixture.clock.now() + 3_600_000) };
  await client.apply(Gate, { metadata, status }, { subresource: 'status', fieldManager: 'gate-controller' });
}

it('reads an open gate before it opens the first pull request of a route that names a gate', async () => {
  await turn(gate, 'Open', 'nobody closes it');
  const target = await fixture.target({ 'a.txt': 'a\n' });
  const name = await fixture.respond(target.actionRef, change);
  await fixture.route(target.route({ gateRef: gate, onGateClosed: 'Proceed' }));
  await fixture.statusIs(name, ({ phase }) => expect(phase).toBe('Succeeded'));
  expect((await target.pulls())[0]?.body).not.toContain('is closed');
});

it('does not reconcile a response that waits for a gate when the gates of others change', async () => {
  const reconciles = () =>
    fixture.responder.metric('controller_runtime_reconcile_total', { controller: 'event-response' });
  const target = await fixture.target({ 'a.txt': 'a\n' });
  await fixture.route(target.route({ gateRef: gate }));
  await turn(gate, 'Closed', 'holidays');
  const name = await fixture.respond(target.actionRef, change);
  const isHeldBy = (message: string) =>
    fixture.statusIs(name, ({ conditions }) => expect(JSON.stringify(conditions)).toContain(message));
  await isHeldBy('holidays');
  await fixture.responder.rest();
  const before = await reconciles();
  for (let change = 0; change < 20; change += 1) {
    await turn({ ...gate, name: 'another' }, 'Closed', `change ${change}`);
  }
  await turn(gate, 'Closed', 'an incident');
  await isHeldBy('an incident');
  await fixture.responder.rest();
  expect((await reconciles()) - before).toBeLessThan(5);
});
