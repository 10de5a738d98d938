import { afterEach, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
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

/** A proxy that reaches one origin, whatever the name is, and records what it is asked. */
async function startProxy(status: number): Promise<{ url: string; asked: string[]; seen: string[] }> {
  const seen: string[] = [];
  const origin = createServer((request, response) => {
    seen.push(`${request.headers['proxy-authorization'] ?? 'none'} ${request.headers.authorization ?? ''}`);
    response.end('hello');
  });
  const originPort = await listen(origin);
  const asked: string[] = [];
  const proxy = createServer();
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
  return { url: `http://user:p%40ss@127.0.0.1:${await listen(proxy)}`, asked, seen };
}

const call = {
  method: 'GET' as const,
  url: new URL('http://broker.example/x'),
  headers: { authorization: 'Bearer token' },
  ...{ maxBytes: 1_000, timeoutMs: 5_000 },
};

afterEach(() => {
  for (const close of closing.splice(0)) close();
});

describe('a client behind a proxy', () => {
  test('reaches hosts through a tunnel, and each credential reaches its own party alone', async () => {
    const { url, asked, seen } = await startProxy(200);
    const http = createHttpClient({ proxy: { url } });
    expect((await http.send(call)).body.toString()).toBe('hello');
    await http.close();
    const basic = Buffer.from('user:p@ss').toString('base64');
    expect(asked).toEqual([`broker.example:80 Basic ${basic} none`]);
    expect(seen).toEqual(['none Bearer token']);
  });

  test.each([403, 407, 502])('fails as a connection does when the proxy answers with %i', async (status) => {
    const { url } = await startProxy(status);
    const http = createHttpClient({ proxy: { url } });
    await expect(http.send(call)).rejects.toMatchObject({
      reason: 'ConnectFailed',
      message: `cannot connect to broker.example: PROXY_${status}`,
    });
    await http.close();
  });
});
