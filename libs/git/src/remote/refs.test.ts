import type { IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { generate } from 'selfsigned';
import {
  devRef,
  DirectFixture,
  isOurs,
  isQuestion,
  testPassword,
  type Intercept,
} from '../testing/direct-fixture.js';
import { encodePackets } from './pkt-line.js';

const advertisement = 'application/x-git-upload-pack-advertisement';
const result = 'application/x-git-upload-pack-result';
const line = encodePackets([Buffer.from(`${'1'.repeat(40)} ${devRef}\n`)]);
const lsRemote = ['ls-remote'];

let fixture: DirectFixture;

beforeEach(() => {
  fixture = new DirectFixture();
});
afterEach(() => fixture.close());

/** Answers the requests of this library of one kind with the given response. */
function answering(method: string, status: number, type: string, body: string | Buffer): Intercept {
  return (request, response) => {
    if (!isOurs(request) || request.method !== method) return false;
    response.writeHead(status, { 'content-type': type }).end(body);
    return true;
  };
}

const notNow: [string, Intercept][] = [
  ['a status that is not a success', answering('GET', 503, 'text/plain', 'later')],
  ['a status that is another success', answering('POST', 206, result, '0000')],
  ['another type of the offer', answering('GET', 200, 'text/html', '<html>')],
  ['another type of the answer', answering('POST', 200, 'text/plain', '0000')],
  ['no packets', answering('POST', 200, result, '<html>')],
  ['an answer without an end', answering('POST', 200, result, line)],
  ['an error', answering('POST', 200, result, '000aERR no0000')],
  [
    'a compressed answer',
    (request, response) => {
      if (!isQuestion(request)) return false;
      response.writeHead(200, { 'content-type': result, 'content-encoding': 'gzip' }).end('0000');
      return true;
    },
  ],
  [
    'a connection that is cut',
    (request) => (isQuestion(request) && request.socket.destroy(), isQuestion(request)),
  ],
];
const never: [string, Intercept][] = [
  ['no version 2', (request) => (isOurs(request) && delete request.headers['git-protocol'], false)],
  ['no ls-refs', answering('GET', 200, advertisement, '000eversion 2\n000afetch\n0000')],
  [
    'a redirect of the answer',
    (request, response) => {
      if (!isQuestion(request)) return false;
      response.writeHead(307, { location: '/remote.git/git-upload-pack' }).end();
      return true;
    },
  ],
];

describe('a git process is used when a remote responds with', () => {
  test.each(notNow)('%s, permanently from the third time in a row', async (_, intercept) => {
    const asked: boolean[] = [];
    const server = await fixture.serve((request, response) => {
      if (isOurs(request)) asked[asked.length - 1] = true;
      return intercept(request, response);
    });
    const mirror = fixture.open(server.url('remote.git'));
    for (let time = 0; time < 4; time += 1) {
      asked.push(false);
      expect(await mirror.remoteRefs([devRef])).toEqual(new Map([[devRef, fixture.tip]]));
      expect(fixture.started()).toEqual(lsRemote);
    }
    expect(asked).toEqual([true, true, true, false]);
  });

  test('an occasional error, but only for that request', async () => {
    let questions = 0;
    const server = await fixture.serve((request, response) => {
      if (!isQuestion(request) || (questions += 1) % 3 === 0) return false;
      response.writeHead(503).end();
      return true;
    });
    const mirror = fixture.open(server.url('remote.git'));
    const processes: number[] = [];
    for (let time = 0; time < 9; time += 1) {
      expect(await mirror.remoteRefs([devRef])).toEqual(new Map([[devRef, fixture.tip]]));
      processes.push(fixture.started().length);
    }
    expect(processes).toEqual([1, 1, 0, 1, 1, 0, 1, 1, 0]);
  });

  test.each(never)('%s, from then on', async (_, intercept) => {
    let ours = 0;
    const server = await fixture.serve((request, response) => {
      ours += isOurs(request) ? 1 : 0;
      return intercept(request, response);
    });
    const mirror = fixture.open(server.url('remote.git'));
    expect(await mirror.remoteRefs([devRef])).toEqual(new Map([[devRef, fixture.tip]]));
    expect(ours).toBeGreaterThan(0);
    ours = 0;
    expect(await mirror.remoteRefs([devRef])).toEqual(new Map([[devRef, fixture.tip]]));
    expect(ours).toBe(0);
    expect(fixture.started()).toEqual([...lsRemote, ...lsRemote]);
  });

  test('more than 64 MiB', async () => {
    const chunk = Buffer.concat(Array.from({ length: 16 * 1024 }, () => line));
    let sent = 0;
    const server = await fixture.serve((request, response) => {
      if (!isQuestion(request)) return false;
      response.writeHead(200, { 'content-type': result });
      const send = () => {
        while (!response.destroyed && response.write(chunk)) sent += chunk.length;
        sent += chunk.length;
      };
      response.on('drain', send);
      send();
      return true;
    });
    expect(await fixture.open(server.url('remote.git')).remoteRefs([devRef])).toEqual(
      new Map([[devRef, fixture.tip]]),
    );
    expect(sent).toBeGreaterThan(64 * 1024 * 1024);
    expect(fixture.started()).toEqual(lsRemote);
  });
});

test('uses git when its processes have additional variables', async () => {
  const server = await fixture.serve((request) => {
    expect(isOurs(request)).toBe(false);
    return false;
  });
  const mirror = fixture.open(server.url('remote.git'), { env: { GIT_TRACE_CURL: '0' } });
  expect(await mirror.remoteRefs([devRef])).toEqual(new Map([[devRef, fixture.tip]]));
  expect(fixture.started()).toEqual(lsRemote);
});

test('does not count failures against a remote if git also fails', async () => {
  let password = 'wrong';
  const server = await fixture.serve(undefined, { password: testPassword });
  const mirror = fixture.open(server.url('remote.git'), {}, () => ({ username: 'x', password }));
  for (let time = 0; time < 4; time += 1) {
    const failure = mirror.remoteRefs([devRef]);
    await expect(failure).rejects.toMatchObject({ type: 'Unauthorized', reason: 'AuthenticationFailed' });
    expect(fixture.started()).toEqual(lsRemote);
  }
  password = testPassword;
  expect(await mirror.remoteRefs([devRef])).toEqual(new Map([[devRef, fixture.tip]]));
  expect(fixture.started()).toEqual([]);
});

test('leaves a redirect to git, so that no other host receives a secret', async () => {
  const seen: IncomingMessage[] = [];
  const other = await fixture.serve((request) => (seen.push(request), false));
  const location = other.url('remote.git').replace('127.0.0.1', 'localhost');
  let ours = 0;
  const moved = await fixture.serve((request, response) => {
    ours += isOurs(request) ? 1 : 0;
    response.writeHead(301, { location: request.url?.replace('/old.git', location) }).end();
    return true;
  });
  const mirror = fixture.open(moved.url('old.git'), {}, () => ({ username: 'x', password: testPassword }));
  expect(await mirror.remoteRefs([devRef])).toEqual(new Map([[devRef, fixture.tip]]));
  expect(await mirror.remoteRefs([devRef])).toEqual(new Map([[devRef, fixture.tip]]));
  expect(ours).toBe(1);
  expect(seen.length).toBeGreaterThan(0);
  expect(seen.filter((request) => isOurs(request) || request.headers.authorization !== undefined)).toEqual(
    [],
  );
});

test('refuses a self-signed certificate, with the message of git', async () => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: '127.0.0.1' }]);
  const server = await fixture.serve(undefined, { tls: { key, cert } });
  // Settings of the machine would be a reason to use git for everything.
  const set = Object.entries(process.env).filter(([name]) => /SSL|CURL/.test(name));
  set.forEach(([name]) => Reflect.deleteProperty(process.env, name));
  try {
    const refusal = fixture.open(server.url('remote.git')).remoteRefs([devRef]);
    await expect(refusal).rejects.toMatchObject({ type: 'Permanent', reason: 'CertificateRefused' });
  } finally {
    Object.assign(process.env, Object.fromEntries(set));
  }
  expect(server.requests).toEqual([]);
  // A request of git, after one of this process.
  expect(server.connections).toBe(2);
  expect(fixture.started()).toEqual(lsRemote);
});
