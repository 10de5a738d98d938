import { afterEach, expect, test } from '@jest/globals';
import { createHttpClient } from '../../http/http-client.js';
import { ClassicFixture } from '../../testing/classic-fixture.js';
import { clientOf, send } from '../../testing/http.js';

let fixture: ClassicFixture;
afterEach(() => fixture.close());

test('is rate limited while no runner can be registered for an hour, and continues after that', async () => {
  const http = createHttpClient();
  let isUsedUp = false;
  const usingUp = clientOf(
    async (call, signal) => {
      const answer = await send(http, call, signal);
      if (isUsedUp || !call.url.pathname.endsWith('/access_tokens')) return answer;
      isUsedUp = true;
      const reset = String(Math.ceil(fixture.clock.now() / 1000) + 3_600);
      const limit = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset };
      return { ...answer, headers: { ...answer.headers, ...limit } };
    },
    () => http.close(),
  );
  fixture = await ClassicFixture.start({ maxListeners: 1, broker: { http: usingUp } });
  const recorder = await fixture.open();
  const { health } = await recorder.next('health');
  expect(health).toMatchObject({ state: 'rateLimited', reason: 'LimitUsedUp' });
  expect(recorder.source.sessions).toBe(0);
  await fixture.forwardUntil(() => recorder.source.sessions === 1, 'a session', 30_000);
});
