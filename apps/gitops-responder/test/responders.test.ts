import { ensureNamespace } from '@interlock/stack';
import { defaultResponderName } from '@interlock/responding';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startResponder, type ResponderProcess } from './harness/responder-process.js';
import { Fixture } from './harness/fixture.js';

let fixture: Fixture;
let second: ResponderProcess;
beforeAll(async () => {
  fixture = await Fixture.start();
  await ensureNamespace(fixture.platform.client, 'other');
  second = await startResponder(fixture.platform, fixture.clock, { responderName: 'second' });
});
afterAll(async () => {
  await second.stop();
  await fixture.close();
});

it('handles only responses that name it, alongside another responder with the same configuration', async () => {
  const target = await fixture.target({ 'a.txt': 'a\n' });
  await fixture.route(target.route());
  const names = ['second', defaultResponderName, 'third', undefined];
  const responses = await Promise.all(
    names.map((name, index) =>
      fixture.respond(
        target.actionRef,
        { path: `${index}.txt`, contents: 'b\n' },
        { responder: name === undefined ? {} : { name } },
      ),
    ),
  );
  const [ofSecond = '', ofFirst = '', ...others] = responses;
  for (const name of [ofSecond, ofFirst]) {
    await fixture.statusIs(name, ({ phase }) => expect(phase).toBe('Succeeded'));
  }
  await fixture.responder.rest();
  await second.rest();
  for (const name of others) expect(await fixture.status(name)).toEqual({});
  expect(await target.pulls()).toHaveLength(2);
  const attempts = 'ugallu_gitops_responder_attempts_total';
  expect(await fixture.responder.metric(attempts)).toBe(1);
  expect(await second.metric(attempts)).toBe(1);

  await second.stop();
  await fixture.mark(ofSecond, { phase: 'Cancelled', cancelReason: 'not needed' });
  await fixture.responder.rest();
  expect((await target.pulls()).map(({ state }) => state)).toEqual(['open', 'open']);
  second = await startResponder(fixture.platform, fixture.clock, { responderName: 'second' });
  await fixture.statusIs(ofSecond, ({ changeRequest }) => expect(changeRequest?.state).toBe('closed'));
});
