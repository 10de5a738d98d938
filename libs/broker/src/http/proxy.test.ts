import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, type AddressInfo } from 'node:net';
import { createLoopbackCertificate, type LoopbackCertificate } from '@interlock/actions-service';
import { send } from '../testing/http.js';
import { createHttpClient } from './http-client.js';

const closing: (() => void)[] = [];

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

interface Certificates {
  proxy: LoopbackCertificate;
  origin: LoopbackCertificate;
}

/** Returns a proxy that connects to one origin for every host name, and records its requests. */
async function startProxy(
  status: number,
  tls?: Certificates,
): Promise<{ url: string; asked: string[]; seen: string[] }> {
  const seen: string[] = [];
  const origin = (tls === undefined ? createServer() : createTlsServer(tls.origin)).on(
    'request',
    ({ headers }: IncomingMessage, response: ServerResponse) => {
      seen.push(`${headers['proxy-authorization'] ?? 'none'} ${headers.authorization ?? ''}`);
      response.end('hello');
    },
  );
  const originPort = await listen(origin);
  const asked: string[] = [];
  const proxy = tls === undefined ? createServer() : createTlsServer(tls.proxy);
  proxy.on('connect', ({ url, headers }, socket) => {
    asked.push(`${url} ${headers['proxy-authorization'] ?? ''} ${headers.authorization ?? 'none'}`);
    socket.write(`HTTP/1.1 ${status} Answer\r\n\r\n`);
    if (status !== 200) socket.end();
    else {
      const upstream = connect(originPort, '127.0.0.1');
      upstream.on('error', () => socket.destroy());
      socket.on('error', () => upstream.destroy());
      socket.pipe(upstream).pipe(socket);
      closing.push(() => upstream.destroy());
    }
  });
  const scheme = tls === undefined ? 'http' : 'https';
  return { url: `${scheme}://user:p%40ss@127.0.0.1:${await listen(proxy)}`, asked, seen };
}

const call = {
  method: 'GET' as const,
  url: new URL('http://broker.example/x'),
  token: 'token',
  headers: {},
  ...{ maxBytes: 1_000, timeoutMs: 5_000 },
};

afterEach(() => {
  for (const close of closing.splice(0)) close();
});

describe('a client behind a proxy', () => {
  test('reaches hosts through a tunnel, and sends each credential only to the party that it is for', async () => {
    const { url, asked, seen } = await startProxy(200);
    const http = createHttpClient({ proxy: { url } });
    expect((await send(http, call)).body.toString()).toBe('hello');
    await http.close();
    const basic = Buffer.from('user:p@ss').toString('base64');
    expect(asked).toEqual([`broker.example:80 Basic ${basic} none`]);
    expect(seen).toEqual(['none Bearer token']);
  });

  describe('with its own certificates', () => {
    let certificates: Certificates;
    const secure = { ...call, url: new URL('https://broker.example/x') };

    beforeAll(async () => {
      const [proxy, origin] = await Promise.all(
        [1, 2].map(() => createLoopbackCertificate(Date.now(), '127.0.0.1', ['broker.example'])),
      );
      certificates = { proxy: proxy!, origin: origin! };
    });

    test('reaches hosts over TLS within TLS when it trusts both authorities', async () => {
      const { url, asked, seen } = await startProxy(200, certificates);
      const { proxy, origin } = certificates;
      const http = createHttpClient({ proxy: { url }, ca: `${proxy.ca}\n${origin.ca}` });
      const answers = await Promise.all([send(http, secure), send(http, secure)]);
      expect(answers.map(({ body }) => body.toString())).toEqual(['hello', 'hello']);
      await http.close();
      const tunnel = expect.stringMatching(/^broker.example:443 Basic \S+ none$/);
      expect(asked).toEqual([tunnel, tunnel]);
      expect(seen).toEqual(['none Bearer token', 'none Bearer token']);
    });

    test.each([
      ['the proxy', 'origin', 0],
      ['the host', 'proxy', 1],
    ] as const)(
      'sends nothing when it does not trust the authority of %s',
      async (_name, trusted, tunnels) => {
        const { url, asked, seen } = await startProxy(200, certificates);
        const http = createHttpClient({ proxy: { url }, ca: certificates[trusted].ca });
        await expect(send(http, secure)).rejects.toMatchObject({
          type: 'Transient',
          reason: 'ConnectFailed',
        });
        await http.close();
        expect([asked.length, seen]).toEqual([tunnels, []]);
      },
    );
  });

  test.each([403, 407, 502])('reports a failed connection when the proxy answers with %i', async (status) => {
    const { url } = await startProxy(status);
    const http = createHttpClient({ proxy: { url } });
    await expect(send(http, call)).rejects.toMatchObject({
      reason: 'ConnectFailed',
      message: `cannot connect to broker.example: PROXY_${status}`,
    });
    await http.close();
  });
});
