import { ensureNamespace } from '@interlock/stack';
import { defaultResponderName } from '@interlock/responding';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startResponder, type ResponderProcess } from './harness/responder-process.js';
import { World } from './harness/world.js';

let world: World;
let second: ResponderProcess;
beforeAll(async () => {
  world = await World.start();
  await ensureNamespace(world.platform.client, 'other');
  second = await startResponder(world.platform, world.clock, { responderName: 'second' });
});
afterAll(async () => {
  await second.stop();
  await world.close();
});

it('answers only what names it, next to another responder with the same configuration', async () => {
  const target = await world.target({ 'a.txt': 'a\n' });
  await world.route(target.route());
  const names = ['second', defaultResponderName, 'third', undefined];
  const responses = await Promise.all(
    names.map((name, index) =>
      world.respond(
        target.actionRef,
        { path: `${index}.txt`, contents: 'b\n' },
        { responder: name === undefined ? {} : { name } },
      ),
    ),
  );
  const [ofSecond = '', ofFirst = '', ...others] = responses;
  for (const name of [ofSecond, ofFirst]) {
    await world.statusIs(name, ({ phase }) => expect(phase).toBe('Succeeded'));
  }
  await world.responder.rest();
  await second.rest();
  for (const name of others) expect(await world.status(name)).toEqual({});
  expect(await target.pulls()).toHaveLength(2);
  const attempts = 'ugallu_gitops_responder_attempts_total';
  expect(await world.responder.metric(attempts)).toBe(1);
  expect(await second.metric(attempts)).toBe(1);

  await second.stop();
  await world.mark(ofSecond, { phase: 'Cancelled', cancelReason: 'not needed' });
  await world.responder.rest();
  expect((await target.pulls()).map(({ state }) => state)).toEqual(['open', 'open']);
  second = await startResponder(world.platform, world.clock, { responderName: 'second' });
  await world.statusIs(ofSecond, ({ changeRequest }) => expect(changeRequest?.state).toBe('closed'));
});
