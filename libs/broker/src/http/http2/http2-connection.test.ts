import { afterEach, describe, expect, test } from '@jest/globals';
import {
  headersOf,
  type Http2Pipe,
  Http2Pipes,
  repeated,
  status200,
  textOf,
} from '../../testing/http2-pipe.js';
import { flags, frameTypes, goawayFrame, pingFrame, settingsAckFrame, windowUpdateFrame } from './frames.js';
import { errorCodes, type ErrorCodeName } from './http2-error.js';
import { idleMs, pingAfterMs, pingTimeoutMs } from './liveness.js';

const pipes = new Http2Pipes();
afterEach(() => pipes.close());

const goaway = (lastId: number, code: ErrorCodeName = 'NO_ERROR'): Buffer => {
  const frame = goawayFrame(errorCodes[code]);
  frame.writeUInt32BE(lastId, 9);
  return frame;
};

describe('a connection', () => {
  test.each([
    ['an acknowledgement', settingsAckFrame()],
    ['PING', pingFrame(Buffer.alloc(8), false)],
    ['an answer', headersOf(1, status200)],
  ])('ends when the server begins with %s', async (_title, frame) => {
    const pipe = pipes.create();
    void pipe.call();
    await pipe.receive(frame);
    expect(await pipe.goawayCode()).toBe(errorCodes.PROTOCOL_ERROR);
  });

  test('answers SETTINGS and PING, whose content it returns', async () => {
    const pipe = await pipes.open();
    await pipe.receive(pingFrame(Buffer.from('12345678'), false));
    const replies = (await pipe.sent()).filter(({ flagBits }) => flagBits === flags.ack);
    expect(replies.map(({ type, payload }) => [type, payload.toString()])).toEqual([
      [frameTypes.settings, ''],
      [frameTypes.ping, '12345678'],
    ]);
  });

  test('does not treat many frames of a working server as a flood', async () => {
    const pipe = await pipes.open();
    void pipe.call();
    for (let count = 0; count < 10; count++) {
      await pipe.receive(...repeated(500, pingFrame(Buffer.alloc(8), false)));
      await pipe.clock.advance(10_000);
    }
    expect(await pipe.goawayCode()).toBeUndefined();
  });

  test('does not treat the windows of many answered calls as a flood', async () => {
    const pipe = await pipes.open();
    for (let count = 0; count < 1_500; count++) {
      const call = pipe.call();
      const id = 1 + 2 * count;
      await pipe.receive(windowUpdateFrame(0, 1), windowUpdateFrame(id, 1), headersOf(id, status200, true));
      expect(await call).toMatchObject({ status: 200 });
    }
    expect(await pipe.goawayCode()).toBeUndefined();
  });

  test('closes when a server does not read its replies, instead of buffering an unlimited number of replies', async () => {
    const pipe = await pipes.open();
    pipe.socket._write = () => undefined;
    for (let second = 0; second < 30; second++) {
      await pipe.receive(...repeated(50, pingFrame(Buffer.alloc(8), false)));
      await pipe.clock.advance(1_000);
    }
    expect(pipe.isClosed).toBe(true);
  });

  test('writes the frames of one turn with one call', async () => {
    const pipe = await pipes.open();
    const writes = pipe.socket.written.length;
    for (let count = 0; count < 50; count++) void pipe.call();
    expect(await pipe.sentOf(frameTypes.headers)).toHaveLength(50);
    expect(pipe.socket.written.length).toBe(writes + 1);
  });

  test('writes a limited amount at a time, and later frames when the earlier ones are sent', async () => {
    const pipe = await pipes.open();
    const body = 'x'.repeat(60_000);
    void pipe.call({ method: 'POST', body });
    for (let count = 0; count < 20; count++) await pipe.sent();
    const parts = await pipe.sentOf(frameTypes.data);
    expect(Buffer.concat(parts.map(({ payload }) => payload)).toString()).toBe(body);
    expect(Math.max(...pipe.socket.written.map(({ length }) => length))).toBeLessThanOrEqual(16_384);
  });

  test('refuses a header that cannot be sent before it opens a stream', async () => {
    const pipe = await pipes.open();
    for (const unsendable of [{ token: 'a\nb' }, { headers: { 'x-own': 'a\nb' } }])
      expect(await pipe.call(unsendable)).toMatchObject({ type: 'Invalid' });
    expect([pipe.connection.streams, await pipe.sentOf(frameTypes.headers)]).toEqual([0, []]);
  });

  test('withdraws a call that has timed out, and accepts no further calls', async () => {
    const pipe = await pipes.open();
    const other = pipe.call();
    expect(await pipe.call({ timeoutMs: 1 })).toMatchObject({ reason: 'Timeout' });
    const [reset] = await pipe.sentOf(frameTypes.rstStream);
    expect([reset?.id, reset?.payload.readUInt32BE(0)]).toEqual([3, errorCodes.CANCEL]);
    expect([pipe.connection.room, pipe.isClosed]).toEqual([0, false]);
    await pipe.receive(headersOf(1, status200, true));
    expect(textOf(await other)).toBe('200 ');
    expect(pipe.isClosed).toBe(true);
  });

  test('has no room when all stream ids are used', async () => {
    const pipe = await pipes.open(2 ** 31 - 3);
    const answers = [pipe.call(), pipe.call()];
    expect(pipe.connection.room).toBe(0);
    await pipe.receive(headersOf(2 ** 31 - 3, status200, true), headersOf(2 ** 31 - 1, status200, true));
    expect((await Promise.all(answers)).map(textOf)).toEqual(['200 ', '200 ']);
  });
});

describe('a connection that the server ends', () => {
  test('answers the calls up to the last call that the server names; the later calls can be repeated', async () => {
    const pipe = await pipes.open();
    const answers = [pipe.call(), pipe.call(), pipe.call()];
    await pipe.receive(goaway(2 ** 31 - 1));
    expect([pipe.connection.streams, pipe.connection.room]).toEqual([3, 0]);
    await pipe.receive(goaway(3));
    expect(await answers[2]).toMatchObject({ reason: 'ConnectFailed' });
    await pipe.receive(headersOf(3, status200, true), headersOf(1, status200, true));
    expect((await Promise.all(answers.slice(0, 2))).map(textOf)).toEqual(['200 ', '200 ']);
    expect([pipe.isClosed, pipe.socket.destroyed]).toEqual([true, true]);
  });

  test('loses the calls that it does not answer, with the reason of the server', async () => {
    const pipe = await pipes.open();
    const answer = pipe.call();
    await pipe.receive(goaway(1, 'INTERNAL_ERROR'));
    pipe.socket.push(null);
    expect(await answer).toMatchObject({
      reason: 'AnswerLost',
      message: expect.stringContaining('HTTP2_INTERNAL_ERROR'),
    });
  });

  test('reports a call that was not sent as not delivered, and a call that was sent as lost', async () => {
    const pipe = await pipes.open();
    const sent = pipe.call();
    await pipe.sent();
    const unsent = pipe.call();
    pipe.socket.destroy();
    expect(await sent).toMatchObject({ reason: 'AnswerLost' });
    expect(await unsent).toMatchObject({ reason: 'ConnectFailed' });
  });
});

describe('a silent connection', () => {
  const pings = async (pipe: Http2Pipe): Promise<number> => (await pipe.sentOf(frameTypes.ping)).length;

  test('is checked with a PING while calls wait, and ends when the PING is not answered', async () => {
    const pipe = await pipes.open();
    const answer = pipe.call();
    await pipe.clock.advance(pingAfterMs);
    expect(await pings(pipe)).toBe(1);
    await pipe.receive(pingFrame(Buffer.from('liveness'), true));
    await pipe.clock.advance(pingTimeoutMs);
    expect([await pings(pipe), pipe.isClosed]).toEqual([1, false]);
    await pipe.clock.advance(pingAfterMs - pingTimeoutMs);
    expect([await pings(pipe), pipe.isClosed]).toEqual([2, false]);
    await pipe.clock.advance(pingTimeoutMs);
    expect(await answer).toMatchObject({
      reason: 'AnswerLost',
      message: 'the answer of broker.example was lost: HTTP2_PING_TIMEOUT',
    });
    expect([pipe.isClosed, pipe.socket.destroyed, pipe.clock.pendingTimers]).toEqual([true, true, 0]);
  });

  test('is not checked while answers arrive', async () => {
    const pipe = await pipes.open();
    void pipe.call();
    for (let id = 3; id < 23; id += 2) {
      void pipe.call();
      await pipe.receive(headersOf(id, status200, true));
      await pipe.clock.advance(pingAfterMs / 2);
    }
    expect(await pings(pipe)).toBe(0);
  });

  test('is checked even if further calls are sent', async () => {
    const pipe = await pipes.open();
    for (let count = 0; count < 5; count++) {
      void pipe.call();
      await pipe.clock.advance(pingAfterMs / 4);
    }
    expect(await pings(pipe)).toBe(1);
  });

  test('without calls is not checked, and closes after a minute', async () => {
    const pipe = await pipes.open();
    void pipe.call();
    await pipe.receive(headersOf(1, status200, true));
    await pipe.clock.advance(idleMs - 1);
    expect([await pings(pipe), pipe.isClosed]).toEqual([0, false]);
    await pipe.clock.advance(1);
    expect([await pipe.goawayCode(), pipe.isClosed, pipe.clock.pendingTimers]).toEqual([0, true, 0]);
  });
});
