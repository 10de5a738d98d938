import { Gate, timestampOf, type EventResponseStatus } from '@interlock/api';
import { ensureNamespace } from '@interlock/stack';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Fixture } from './harness/fixture.js';
import type { Target } from './harness/target.js';

let fixture: Fixture;
const gate = { name: 'freeze', namespace: 'security' };
beforeAll(async () => {
  fixture = await Fixture.start();
  await ensureNamespace(fixture.platform.client, gate.namespace);
  await fixture.platform.client.apply(Gate, { metadata: gate, spec: {} }, { fieldManager: 'team' });
});
afterAll(() => fixture.close());

const change = { path: 'a.txt', contents: 'b\n' };

/** Writes the status of the gate, as the gate-controller does. */
async function turn(state: 'Open' | 'Closed', message: string): Promise<void> {
  const validUntil = timestampOf(fixture.clock.now() + 3_600_000);
  await fixture.platform.client.patch(
    Gate,
    gate,
    { type: 'merge', patch: { status: { state, message, validUntil } } },
    { subresource: 'status', fieldManager: 'gate-controller' },
  );
}

const waiting = (name: string): Promise<EventResponseStatus> =>
  fixture.statusIs(name, ({ stage, conditions }) => {
    expect(stage).toBe('AwaitingGate');
    expect(conditions).toContainEqual(expect.objectContaining({ type: 'Submitted', reason: 'GateClosed' }));
  });

/** Closes the open gate at the next request of a kind to the repository of a route, before the server handles it. */
async function closeDuring(
  kind: 'read' | 'write',
  target: Target,
  onGateClosed: 'Wait' | 'Proceed',
): Promise<void> {
  await turn('Open', 'nobody closes it');
  const other = await fixture.target({ 'a.txt': 'a\n' });
  await fixture.route(
    target.route({ gateRef: gate, onGateClosed }),
    other.route({ gateRef: gate, limits: { maxOpenPRs: 1 } }),
  );
  await fixture.statusIs(await fixture.respond(other.actionRef, change), ({ phase }) =>
    expect(phase).toBe('Succeeded'),
  );
  /* Waits for its place, until the responder has seen that the gate is closed. */
  const witness = await fixture.respond(other.actionRef, { path: 'b.txt', contents: 'b\n' });
  await fixture.statusIs(witness, ({ conditions }) =>
    expect(conditions).toContainEqual(expect.objectContaining({ reason: 'TooManyOpen' })),
  );
  const onHit = async () => {
    await turn('Closed', 'an incident');
    await waiting(witness);
  };
  fixture.platform.forge.faults.add({ match: { actor: target.login, kind }, onHit });
}

it('plans while the gate is closed, and opens no pull request until the gate opens', async () => {
  await turn('Closed', 'holidays, until Monday');
  const target = await fixture.target({ 'a.txt': 'a\n' });
  await fixture.route(target.route({ gateRef: gate, onGateClosed: 'Wait' }));
  const name = await fixture.respond(target.actionRef, change);
  const held = await waiting(name);
  expect(held).toMatchObject({
    phase: 'Running',
    attempts: 0,
    plan: { files: [{ path: 'a.txt', change: 'modify' }], added: 1, removed: 1 },
  });
  expect(JSON.stringify(held.conditions)).toContain('holidays, until Monday');
  expect(await target.branches()).toEqual([]);
  await fixture.restart();
  await fixture.responder.rest();
  expect(await target.pulls()).toEqual([]);
  await turn('Open', 'nobody closes it');
  const status = await fixture.statusIs(name, ({ phase }) => expect(phase).toBe('Succeeded'));
  expect(status).toMatchObject({ stage: 'Submitted', attempts: 1 });
  expect(await target.pulls()).toHaveLength(1);
});

it.each([
  ['is read', 'read', []],
  ['is written', 'write', [expect.any(String)]],
] as const)(
  'opens no pull request when the gate closes while the repository %s',
  async (_, kind, branches) => {
    const target = await fixture.target({ 'a.txt': 'a\n' });
    await closeDuring(kind, target, 'Wait');
    const name = await fixture.respond(target.actionRef, change);
    await waiting(name);
    expect((await fixture.status(name)).attempts).toBe(0);
    expect(await target.pulls()).toEqual([]);
    expect(await target.branches()).toEqual(branches);
    await turn('Open', 'nobody closes it');
    await fixture.statusIs(name, ({ phase }) => expect(phase).toBe('Succeeded'));
    expect(await target.pulls()).toHaveLength(1);
  },
);

it.each([
  ['is closed', gate.name, 'holidays'],
  ['does not exist', 'absent', 'the gate was not found'],
])(
  'with Proceed, does not wait for a gate that %s, and reports this in the pull request',
  async (_, name, reason) => {
    await turn('Closed', 'holidays');
    const target = await fixture.target({ 'a.txt': 'a\n' });
    await fixture.route(target.route({ gateRef: { ...gate, name }, onGateClosed: 'Proceed' }));
    const response = await fixture.respond(target.actionRef, change);
    await fixture.statusIs(response, ({ phase }) => expect(phase).toBe('Succeeded'));
    expect((await target.pulls())[0]?.body).toContain(`gate \`security/${name}\` is closed:** ${reason}`);
  },
);

it('with Proceed, reports in the pull request that the gate closed while the repository was read', async () => {
  const target = await fixture.target({ 'a.txt': 'a\n' });
  await closeDuring('read', target, 'Proceed');
  const response = await fixture.respond(target.actionRef, change);
  await fixture.statusIs(response, ({ phase }) => expect(phase).toBe('Succeeded'));
  expect((await target.pulls())[0]?.body).toContain('gate `security/freeze` is closed:** an incident');
});

it('waits for a gate that does not exist, or is no longer evaluated', async () => {
  const target = await fixture.target({ 'a.txt': 'a\n' });
  await fixture.route(target.route({ gateRef: { name: 'absent' } }));
  const name = await fixture.respond(target.actionRef, change);
  await waiting(name);
  await turn('Open', 'nobody closes it');
  await fixture.later(2 * 3_600_000);
  const other = await fixture.target({ 'a.txt': 'a\n' });
  await fixture.route(other.route({ gateRef: gate }));
  await waiting(await fixture.respond(other.actionRef, change));
  expect(await other.pulls()).toEqual([]);
});

it('opens no more pull requests than the route allows, even concurrently', async () => {
  const target = await fixture.target({ 'a.txt': 'a\n' });
  await fixture.route(target.route({ limits: { maxOpenPRs: 2 } }));
  const names = await Promise.all(
    [1, 2, 3, 4].map((number) =>
      fixture.respond(target.actionRef, { path: `${number}.txt`, contents: 'b\n' }),
    ),
  );
  await fixture.responder.rest();
  const statuses = () => Promise.all(names.map((name) => fixture.status(name)));
  const stages = async () => (await statuses()).map(({ stage }) => stage).sort();
  expect(await stages()).toEqual(['AwaitingGate', 'AwaitingGate', 'Submitted', 'Submitted']);
  expect(await target.pulls()).toHaveLength(2);
  await target.user.merge(target.fullName, 1);
  await fixture.later(700_000);
  await fixture.responder.rest();
  await fixture.later(70_000);
  await fixture.responder.rest();
  expect(await stages()).toEqual(['AwaitingGate', 'Merged', 'Submitted', 'Submitted']);
});
