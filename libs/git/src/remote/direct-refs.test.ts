import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import {
  devRef,
  DirectFixture,
  isQuestion,
  testPassword,
  type Intercept,
} from '../testing/direct-fixture.js';

let fixture: DirectFixture;

beforeEach(() => {
  fixture = new DirectFixture();
});
afterEach(() => fixture.close());

describe('a mirror without a git process', () => {
  test('reads references by their exact names, and reads the capabilities once', async () => {
    const notes = fixture.remote.commit('refs/notes/hydrator.metadata', { n: '1' });
    fixture.remote.commit('refs/heads/development', { a: '2' });
    fixture.remote.commit('refs/heads/x/dev', { a: '3' });
    fixture.remote.git(['tag', '--annotate', '--message=v1', 'v1', fixture.tip]);
    fixture.remote.git(['pack-refs', '--all']);
    const server = await fixture.serve();
    // Git processes cannot start.
    const mirror = fixture.open(server.url('remote.git'), { gitPath: '/nonexistent/git' });
    const names = [
      devRef,
      'refs/notes/hydrator.metadata',
      'refs/tags/v1',
      'refs/heads/x',
      'refs/heads/absent',
    ];
    expect(await mirror.remoteRefs(names)).toEqual(
      new Map([
        [devRef, fixture.tip],
        ['refs/notes/hydrator.metadata', notes],
        ['refs/tags/v1', fixture.remote.tip('refs/tags/v1')],
      ]),
    );
    const next = fixture.remote.commit(devRef, { a: '4' });
    expect(await mirror.remoteRefs([devRef])).toEqual(new Map([[devRef, next]]));
    const question = 'POST /remote.git/git-upload-pack';
    expect(server.requests).toEqual([
      'GET /remote.git/info/refs?service=git-upload-pack',
      question,
      question,
    ]);
  });

  test('returns no references of an empty repository, and ignores a trailing slash of a URL', async () => {
    fixture.sandbox.remote('empty.git');
    const server = await fixture.serve();
    const mirror = fixture.open(`${server.url('empty.git')}/`, { gitPath: '/nonexistent/git' });
    expect(await mirror.remoteRefs([devRef])).toEqual(new Map());
    expect(server.requests[1]).toBe('POST /empty.git/git-upload-pack');
  });

  test('reads 10,000 of 10,000 references', async () => {
    const names = Array.from({ length: 10_000 }, (_, n) => `refs/heads/b${n}`);
    fixture.remote.git(
      ['update-ref', '--stdin'],
      names.map((name) => `create ${name} ${fixture.tip}\n`).join(''),
    );
    const mirror = fixture.open((await fixture.serve()).url('remote.git'), { gitPath: '/nonexistent/git' });
    expect((await mirror.remoteRefs(names)).size).toBe(10_000);
    expect(await mirror.remoteRefs(names.slice(0, 500))).toEqual(
      new Map(names.slice(0, 500).map((name) => [name, fixture.tip])),
    );
  });

  test('sends the current credentials as git does', async () => {
    const seen: (string | undefined)[] = [];
    const server = await fixture.serve(({ headers }) => (seen.push(headers.authorization), false), {
      password: testPassword,
    });
    let username = 'first';
    const mirror = fixture.open(server.url('remote.git'), {}, () => ({ username, password: testPassword }));
    await mirror.remoteRefs([devRef]);
    username = 'second';
    await mirror.remoteRefs([devRef]);
    const basic = (name: string) => `Basic ${Buffer.from(`${name}:${testPassword}`).toString('base64')}`;
    expect(seen).toEqual([basic('first'), basic('first'), basic('second')]);
    expect(fixture.started()).toEqual([]);
  });

  test('uses the proxy of the environment', async () => {
    const server = await fixture.serve();
    const { host, port } = new URL(server.url(''));
    const tunnels: (string | undefined)[] = [];
    const proxy = await fixture.serve();
    proxy.onConnect((request, socket) => {
      tunnels.push(request.url);
      const target = connect(Number(port), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        target.pipe(socket).pipe(target);
      });
      target.on('error', () => socket.destroy());
      socket.on('error', () => target.destroy());
    });
    process.env['http_proxy'] = proxy.url('');
    try {
      const mirror = fixture.open(server.url('remote.git'), { gitPath: '/nonexistent/git' });
      expect(await mirror.remoteRefs([devRef])).toEqual(new Map([[devRef, fixture.tip]]));
    } finally {
      delete process.env['http_proxy'];
    }
    expect(new Set(tunnels)).toEqual(new Set([host]));
  });
});

describe('a remote that does not respond', () => {
  const silence: Intercept = (request, response) => {
    if (!isQuestion(request)) return false;
    response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' }).write('003c');
    return true;
  };

  test('is abandoned at the timeout, and git is not used', async () => {
    const metrics = new Registry();
    const mirror = fixture.open((await fixture.serve(silence)).url('remote.git'), {
      timeoutsMs: { lsRemote: 300 },
      metrics,
    });
    await expect(mirror.remoteRefs([devRef])).rejects.toMatchObject({
      type: 'Transient',
      reason: 'GitTimeout',
    });
    expect(fixture.started()).toEqual([]);
    expect(await metrics.metrics()).toContain(
      'git_operations_total{operation="ls-remote",result="Transient"} 1',
    );
  });

  test('is abandoned when the call is aborted or the mirror is closed, and git is not used', async () => {
    let asked: () => void = () => undefined;
    const server = await fixture.serve((request, response) => (asked(), silence(request, response)));
    const mirror = fixture.open(server.url('remote.git'));
    const ask = async (signal?: AbortSignal) => {
      const reached = new Promise<void>((resolve) => (asked = resolve));
      const outcome = mirror.remoteRefs([devRef], { signal }).catch((reason: unknown) => reason);
      await reached;
      return { outcome };
    };
    const controller = new AbortController();
    const aborted = await ask(controller.signal);
    controller.abort('enough');
    expect(await aborted.outcome).toBe('enough');
    const cut = await ask();
    await fixture.closeLast();
    expect(await cut.outcome).toMatchObject({ type: 'Transient', reason: 'GitClosed' });
    expect(await mirror.remoteRefs([devRef]).catch((reason: unknown) => reason)).toMatchObject({
      reason: 'GitClosed',
    });
    expect(fixture.started()).toEqual([]);
  });
});
