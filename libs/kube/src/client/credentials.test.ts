import { TypedError } from '@interlock/api';
import { FakeClock } from '@interlock/base/testing';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import { connect as connectTo, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { generate } from 'selfsigned';
import { until } from '../testing/until.js';
import { createClient } from './client.js';
import { Namespace } from './kinds.js';
import type { Client } from './types.js';

type Pem = Awaited<ReturnType<typeof generate>>;

const certificate = (commonName: string, issuer?: Pem) =>
  generate([{ name: 'commonName', value: commonName }], {
    keySize: 2048,
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: issuer === undefined },
      { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
    ],
    ...(issuer && { ca: { key: issuer.private, cert: issuer.cert } }),
  });

function createProxy(onConnect: (request: IncomingMessage, socket: Duplex) => void) {
  return createHttpServer().on('connect', onConnect);
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

let ca: Pem;
let folder: string;
let server: Server;
/** The headers of each request. */
let seen: { authorization: string | undefined; commonName: unknown }[];
/** The values of the header `authorization` that the server answers with 401. */
let refused: Set<string>;
let clients: Client[];
let clock: FakeClock;

beforeEach(async () => {
  [seen, clients, clock, refused] = [[], [], new FakeClock(Date.now()), new Set()];
  folder = await mkdtemp(join(tmpdir(), 'credentials-'));
  ca = await certificate('ca');
  const own = await certificate('127.0.0.1', ca);
  const tls = { key: own.private, cert: own.cert, ca: ca.cert, requestCert: true, rejectUnauthorized: false };
  server = createServer(tls, (request, response) => {
    const { subject } = (request.socket as TLSSocket).getPeerCertificate();
    seen.push({ authorization: request.headers.authorization, commonName: subject?.CN });
    if (refused.has(request.headers.authorization ?? '')) response.statusCode = 401;
    response.end('{"metadata":{"name":"x"}}');
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  mock.timers.reset();
  for (const client of clients) await client.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true });
});

function connect(
  user: object | undefined,
  cluster: object = { 'certificate-authority-data': base64(ca.cert) },
): Client {
  const port = (server.address() as AddressInfo).port;
  const client = createClient({
    kubeConfig: {
      clusters: [{ name: 'c', cluster: { server: `https://127.0.0.1:${port}`, ...cluster } }],
      users: user === undefined ? [] : [{ name: 'u', user }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    },
    userAgent: 't',
    defaultFieldManager: 't',
    clock,
    random: () => 0,
  });
  clients.push(client);
  return client;
}

const call = (client: Client) => client.get(Namespace, { name: 'x' });

/** Waits for a call that is repeated once. */
async function repeated<T>(called: Promise<T>): Promise<T> {
  const before = seen.length;
  called.catch(() => undefined);
  await until(() => seen.length > before && clock.pendingTimers === 2);
  expect(seen).toHaveLength(before + 1);
  await clock.advance(0);
  return called;
}

describe('a client with TLS', () => {
  test('accepts a server with a certificate of the kubeconfig’s authority, with and without a user', async () => {
    await call(connect({ token: 't' }));
    await call(connect(undefined));
    expect(seen.map(({ authorization }) => authorization)).toEqual(['Bearer t', undefined]);
  });

  test('refuses a server with another certificate, unless the kubeconfig disables the verification', async () => {
    const refused = { type: 'Transient', reason: 'UntrustedServer' };
    await expect(call(connect({}, {}))).rejects.toMatchObject(refused);
    await call(connect({}, { 'insecure-skip-tls-verify': true }));
    expect(seen).toHaveLength(1);
  });

  test('uses TLS for a server without a scheme if the kubeconfig has an authority', async () => {
    const port = (server.address() as AddressInfo).port;
    await call(connect({}, { server: `127.0.0.1:${port}`, 'certificate-authority-data': base64(ca.cert) }));
    expect(seen).toHaveLength(1);
    expect(() => connect({}, { server: 'https://127.0.0.1:x' })).toThrow(
      new TypedError('Invalid', 'the server of the kubeconfig is not a URL: "https://127.0.0.1:x"'),
    );
  });

  test('uses client certificates, and reads them again when their files change', async () => {
    const files = { 'client-certificate': join(folder, 'crt'), 'client-key': join(folder, 'key') };
    const write = async (commonName: string) => {
      const own = await certificate(commonName, ca);
      await writeFile(files['client-certificate'], own.cert);
      await writeFile(files['client-key'], own.private);
    };
    await write('one');
    const client = connect(files);
    await call(client);
    await write('two');
    await call(client);
    await clock.advance(10_000);
    await call(client);
    expect(seen.map(({ commonName }) => commonName)).toEqual(['one', 'one', 'two']);
  });

  test('keeps the client certificate while another program replaces its files one after the other', async () => {
    const [certFile, keyFile] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
    const [one, two] = [await certificate('one', ca), await certificate('two', ca)];
    await writeFile(certFile, one.cert);
    await writeFile(keyFile, one.private);
    const client = connect({ 'client-certificate': certFile, 'client-key': keyFile });
    await call(client);
    await writeFile(certFile, two.cert);
    await clock.advance(11_000);
    await call(client);
    await writeFile(keyFile, two.private);
    await clock.advance(11_000);
    await call(client);
    expect(seen.map(({ commonName }) => commonName)).toEqual(['one', 'one', 'two']);
  });
});

describe('a client with a token', () => {
  test.each([
    ['of a pod', (tokenFile: string) => ({ 'auth-provider': { name: 'tokenFile', config: { tokenFile } } })],
    ['of a kubeconfig', (tokenFile: string) => ({ tokenFile, token: 'other' })],
  ])('reads the token file %s again after a minute', async (_, userOf) => {
    mock.timers.enable({ apis: ['Date'], now: Date.now() });
    const tokenFile = join(folder, 'token');
    await writeFile(tokenFile, 'first\n');
    const client = connect(userOf(tokenFile));
    await call(client);
    await writeFile(tokenFile, 'second\n');
    mock.timers.setTime(Date.now() + 61_000);
    await clock.advance(61_000);
    await call(client);
    expect(seen.map(({ authorization }) => authorization)).toEqual(['Bearer first', 'Bearer second']);
  });

  test('reads a token file again when the server refuses the token, although the clock was set back', async () => {
    const tokenFile = join(folder, 'token');
    await writeFile(tokenFile, 'first');
    const client = connect({ tokenFile });
    await call(client);
    mock.timers.enable({ apis: ['Date'], now: Date.now() - 3_600_000 });
    await writeFile(tokenFile, 'second');
    refused.add('Bearer first');
    await repeated(call(client));
    expect(seen.map(({ authorization }) => authorization)).toEqual([
      'Bearer first',
      'Bearer first',
      'Bearer second',
    ]);
  });

  test('keeps the token while its file cannot be read, until the server refuses the token', async () => {
    const tokenFile = join(folder, 'token');
    await writeFile(tokenFile, 'first');
    const client = connect({ tokenFile });
    await call(client);
    await rm(tokenFile);
    mock.timers.enable({ apis: ['Date'], now: Date.now() + 61_000 });
    await clock.advance(61_000);
    await call(client);
    expect(seen.map(({ authorization }) => authorization)).toEqual(['Bearer first', 'Bearer first']);
    refused.add('Bearer first');
    await expect(repeated(call(client))).rejects.toMatchObject({ reason: 'CredentialsUnavailable' });
    await writeFile(tokenFile, 'second');
    await call(client);
    expect(seen.at(-1)).toMatchObject({ authorization: 'Bearer second' });
  });

  test('repeats a call once when the server refuses its credentials', async () => {
    refused.add('Bearer t');
    await expect(repeated(call(connect({ token: 't' })))).rejects.toMatchObject({ code: 401 });
    expect(seen).toHaveLength(2);
  });

  test('calls an exec plugin, and calls it again after a failure', async () => {
    const script = join(folder, 'plugin.mjs');
    const user = {
      exec: { apiVersion: 'client.authentication.k8s.io/v1', command: process.execPath, args: [script] },
    };
    const client = connect(user);
    await expect(call(client)).rejects.toMatchObject({ type: 'Transient', reason: 'CredentialsUnavailable' });
    const credential = {
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      status: { token: 'e' },
    };
    await writeFile(script, `console.log(${JSON.stringify(JSON.stringify(credential))});`);
    await call(client);
    expect(seen).toEqual([{ authorization: 'Bearer e', commonName: undefined }]);
  });

  test('waits for a slow exec plugin instead of starting it again', async () => {
    const [script, starts, answer] = ['plugin.mjs', 'starts', 'answer'].map((name) => join(folder, name));
    const program = `
      import { appendFileSync, existsSync, readFileSync } from 'node:fs';
      appendFileSync(${JSON.stringify(starts)}, 'started ');
      const timer = setInterval(() => {
        if (!existsSync(${JSON.stringify(answer)})) return;
        clearInterval(timer);
        console.log(readFileSync(${JSON.stringify(answer)}, 'utf8'));
      }, 5);`;
    await writeFile(script!, program);
    const client = connect({
      exec: { apiVersion: 'client.authentication.k8s.io/v1', command: process.execPath, args: [script] },
    });
    const early = expect(call(client)).rejects.toMatchObject({ reason: 'Timeout' });
    await clock.advance(10_000);
    await early;
    const late = call(client);
    await until(() => existsSync(starts!));
    await writeFile(`${answer}.new`, JSON.stringify({ status: { token: 'e' } }));
    await rename(`${answer}.new`, answer!);
    await late;
    await call(client);
    expect(readFileSync(starts!, 'utf8')).toBe('started ');
    expect(seen.map(({ authorization }) => authorization)).toEqual(['Bearer e', 'Bearer e']);
  });
});

describe('a client with a proxy', () => {
  test('uses the proxy of the kubeconfig, and still verifies the server’s certificate', async () => {
    const tunnels: (string | undefined)[] = [];
    const proxy = createProxy((request, socket) => {
      tunnels.push(request.url);
      const upstream = connectTo((server.address() as AddressInfo).port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        upstream.pipe(socket).pipe(upstream);
      });
    });
    await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const authority = { 'certificate-authority-data': base64(ca.cert) };
    await call(connect({ token: 't' }, { ...authority, 'proxy-url': url }));
    await expect(call(connect({}, { 'proxy-url': url }))).rejects.toMatchObject({
      reason: 'UntrustedServer',
    });
    expect(new Set(tunnels)).toEqual(new Set([`127.0.0.1:${(server.address() as AddressInfo).port}`]));
    expect(seen).toHaveLength(1);
    await Promise.all(clients.splice(0).map((client) => client.close()));
    await new Promise((resolve) => proxy.close(resolve));
  });

  test('refuses a proxy that is not an HTTP proxy', async () => {
    await expect(call(connect({}, { 'proxy-url': 'socks5://127.0.0.1:1' }))).rejects.toMatchObject({
      type: 'Invalid',
    });
  });
});
