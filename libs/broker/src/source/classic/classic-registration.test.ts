import { afterEach, describe, expect, test } from '@jest/globals';
import { ClassicFixture } from '../../testing/classic-fixture.js';
import { eventually } from '../../testing/eventually.js';

let fixture: ClassicFixture;

afterEach(async () => fixture.close());

const listings = (): string[] =>
  fixture.service.journal
    .entries({ base: 'rest' })
    .filter(({ method, path }) => method === 'GET' && path.includes('/actions/runners'))
    .map(({ path }) => path);

describe('a registration', () => {
  test.each([307, 403, 404, 422])('that is refused with %i leaves nothing to remove', async (status) => {
    fixture = await ClassicFixture.start();
    fixture.fail('*/generate-jitconfig', { kind: 'status', status }, 3);
    const recorder = await fixture.open();
    await fixture.forwardUntil(() => recorder.source.sessions === 1, 'a session');
    expect(listings()).toEqual([]);
    expect(fixture.store.records.size).toBe(1);
  });

  test.each([409, 502])(
    'that is refused with %i may have succeeded, so its runner is removed',
    async (status) => {
      fixture = await ClassicFixture.start();
      fixture.fail('*/generate-jitconfig', { kind: 'status', status });
      const recorder = await fixture.open();
      await fixture.forwardUntil(() => recorder.source.sessions === 1, 'a session');
      await eventually(() => listings().length === 1, 'the search for the runner');
    },
  );
});
