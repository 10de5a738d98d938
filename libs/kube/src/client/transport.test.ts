import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { StubApi } from '../testing/stub-api.js';
import { createTransport, type HttpRequest } from './transport.js';

const request: HttpRequest = { method: 'GET', path: '/', headers: {} };
const discard = () => undefined;

let api: StubApi;

beforeEach(async () => {
  api = await StubApi.start((_, response) => response.writeHead(200).flushHeaders());
});
afterEach(() => api.close());

describe('the transport', () => {
  test('ends a request with its signal although the credentials do not arrive', async () => {
    const current = () => new Promise<never>(() => undefined);
    const transport = createTransport({ server: new URL(api.url), proxyUrl: undefined, current, discard });
    const abort = new AbortController();
    const sent = transport.send('lease', request, abort.signal);
    abort.abort(new Error('the time is over'));
    await expect(sent).rejects.toThrow('the time is over');
    await transport.close();
  });

  test('ends a watch when it is closed, although certificates were rotated after the start of the watch', async () => {
    let servername = 'one';
    const current = () => Promise.resolve({ headers: {}, tls: { servername } });
    const transport = createTransport({ server: new URL(api.url), proxyUrl: undefined, current, discard });
    const { signal } = new AbortController();
    const { body } = await transport.send('watch', request, signal);
    const ended = body.text().catch((error: Error) => error);
    servername = 'two';
    await transport.send('watch', request, signal).then((next) => next.body.on('error', () => undefined));
    await transport.close();
    expect(await ended).toBeInstanceOf(Error);
  });
});
