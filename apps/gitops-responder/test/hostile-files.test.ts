import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Planner } from '../src/planning/planner.js';
import { Fixture } from './harness/fixture.js';

const planner = new Planner({ timeMs: 4_000 });
let fixture: Fixture;
beforeAll(async () => {
  fixture = await Fixture.start({ planner });
});
afterAll(async () => {
  await fixture.close();
  await planner.close();
});

const changes = JSON.stringify([{ op: 'yaml.deleteDocument', path: 'a/b.yaml', select: { name: 'b' } }]);
const filesWith = (entries: number): Record<string, string> => ({
  'a/b.yaml': 'kind: ConfigMap\nmetadata: {name: b}\n',
  'a/kustomization.yaml': `resources:\n${'- b.yaml\n'.repeat(entries)}`,
});

it('proposes a change while the files of another repository take too long to edit', async () => {
  const hostile = await fixture.target(filesWith(20_000));
  const other = await fixture.target(filesWith(1));
  await fixture.route(hostile.route(), other.route());
  const slow = await fixture.respond(hostile.actionRef, { changes });
  await fixture.statusIs(slow, ({ phase }) => expect(phase).toBe('Running'));
  const quick = await fixture.respond(other.actionRef, { changes });
  await fixture.statusIs(quick, ({ phase }) => expect(phase).toBe('Succeeded'));
  await fixture.statusIs(slow, ({ error }) =>
    expect(error).toMatchObject({ type: 'Transient', reason: 'TimeLimitExceeded' }),
  );
});
