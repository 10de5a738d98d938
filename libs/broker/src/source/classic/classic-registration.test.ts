import { afterEach, describe, expect, test } from '@jest/globals';
import { createHttpClient } from '../../http/http-client.js';
import type { HttpCall } from '../../http/exchange.js';
import { ClassicFixture } from '../../testing/classic-fixture.js';
import { eventually } from '../../testing/eventually.js';
import { clientOf, send } from '../../testing/http.js';

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

describe('a redirect of the REST API', () => {
  /** Starts a source whose organization has moved from `acme` to `target`, a path of the API or a URL. */
  async function startMoved(target: string) {
    const http = createHttpClient();
    const calls: HttpCall[] = [];
    const client = clientOf(
      async (call, signal) => {
        calls.push(call);
        const { pathname, search, origin } = call.url;
        if (!pathname.includes('/organizations/7/')) {
          if (!pathname.includes('/orgs/acme/')) return send(http, call, signal);
          const location = pathname.replace('/orgs/acme/', '/organizations/7/') + search;
          const headers = { location: new URL(location, new URL(target, origin)).href };
          return { status: 307, headers, body: Buffer.from('{"message":"Temporary Redirect"}') };
        }
        const moved = pathname.replace('/organizations/7/', '/orgs/acme/');
        return send(http, { ...call, url: { ...partsOf(call.url), pathname: moved } }, signal);
      },
      () => http.close(),
    );
    fixture = await ClassicFixture.start({ broker: { http: client } });
    return { recorder: await fixture.open(), calls };
  }

  test('is followed within the API', async () => {
    const { recorder, calls } = await startMoved('/');
    await fixture.forwardUntil(() => recorder.source.sessions === 1, 'a session');
    const moved = calls.filter(({ url }) => url.pathname.includes('/organizations/7/'));
    expect(moved[0]).toMatchObject({ method: 'POST', body: expect.stringContaining('"labels"') });
    expect(moved[0]?.token).toMatch(/^\S+$/);
  });

  test('is not followed to another host', async () => {
    const { recorder, calls } = await startMoved('https://evil.example/');
    const broken = await fixture.forwardUntil(
      () => recorder.of('health').find(({ health }) => health.state !== 'polling'),
      'a report',
    );
    expect(broken.health.message).toContain('HTTP 307');
    expect(calls.filter(({ url }) => url.host === 'evil.example')).toEqual([]);
  });
});

function partsOf({ origin, host, pathname, search }: HttpCall['url']): HttpCall['url'] {
  return { origin, host, pathname, search };
}
