import { afterEach, describe, expect, test } from '@jest/globals';
import { headersOf, Http2Pipes, repeated, status200, textOf } from '../../testing/http2-pipe.js';
import type { HttpAnswer } from '../exchange.js';
import { dataFrame, flags, frameTypes, headerBytes, settingsFrame, windowUpdateFrame } from './frames.js';
import { errorCodes } from './http2-error.js';
import { PeerSettings, settingIds } from './peer-settings.js';

const pipes = new Http2Pipes();
afterEach(() => pipes.close());

const empty = Buffer.alloc(0);

describe('the settings of a server', () => {
  const { maxConcurrentStreams, initialWindowSize, maxFrameSize, headerTableSize } = settingIds;

  test('change the number of calls that the connection has room for', async () => {
    const pipe = pipes.create();
    expect(pipe.connection.room).toBe(1);
    await pipe.receive(settingsFrame([]));
    expect(pipe.connection.room).toBe(250);
    void pipe.call();
    await pipe.receive(settingsFrame([[maxConcurrentStreams, 2]]));
    expect(pipe.connection.room).toBe(1);
    await pipe.receive(settingsFrame([[maxConcurrentStreams, 0]]));
    expect(pipe.connection.room).toBeLessThanOrEqual(0);
    await pipe.receive(settingsFrame([[maxConcurrentStreams, 1_000]]));
    expect(pipe.connection.room).toBe(249);
  });

  test('change the windows of requests in progress, even to less than what was already sent', async () => {
    const pipe = await pipes.open();
    await pipe.receive(settingsFrame([[initialWindowSize, 10]]));
    void pipe.call({ method: 'POST', body: 'x'.repeat(40) });
    const sizes = async (): Promise<number[]> =>
      (await pipe.sentOf(frameTypes.data)).map(({ payload }) => payload.length);
    expect(await sizes()).toEqual([10]);
    await pipe.receive(settingsFrame([[initialWindowSize, 5]]), windowUpdateFrame(1, 5));
    expect(await sizes()).toEqual([10]);
    await pipe.receive(windowUpdateFrame(1, 3));
    expect(await sizes()).toEqual([10, 3]);
    await pipe.receive(settingsFrame([[initialWindowSize, 65_535]]));
    expect(await sizes()).toEqual([10, 3, 27]);
    const last = (await pipe.sentOf(frameTypes.data)).at(-1);
    expect(last?.flagBits).toBe(flags.endStream);
  });

  test('cannot make a window larger than windows may be', () => {
    const payload = settingsFrame([[initialWindowSize, 2 ** 31]]).subarray(headerBytes);
    expect(() => new PeerSettings().apply(payload)).toThrow(
      expect.objectContaining({ errorCode: errorCodes.FLOW_CONTROL_ERROR }),
    );
  });

  test('change the size of frames, and the size of a table that is not used', async () => {
    const pipe = await pipes.open();
    await pipe.receive(
      settingsFrame([
        [maxFrameSize, 30_000],
        [headerTableSize, 0],
      ]),
    );
    void pipe.call({ method: 'POST', body: 'x'.repeat(40_000) });
    expect((await pipe.sentOf(frameTypes.data)).map(({ payload }) => payload.length)).toEqual([
      30_000, 10_000,
    ]);
    void pipe.call();
    const blocks = (await pipe.sentOf(frameTypes.headers)).map(({ payload }) => payload[0]);
    /* The size of the table is 0 from the first block on. */
    expect(blocks).toEqual([0x20, 0x82]);
  });
});

describe('the windows of a connection', () => {
  test('limit requests in addition to the windows of their streams', async () => {
    const pipe = await pipes.open();
    await pipe.receive(settingsFrame([[settingIds.initialWindowSize, 100_000]]));
    const answers = [1, 3].map(() => pipe.call({ method: 'POST', body: 'x'.repeat(40_000) }));
    const bytes = async (): Promise<number> => {
      for (let count = 0; count < 20; count++) await pipe.sent();
      return (await pipe.sentOf(frameTypes.data)).reduce((sum, { payload }) => sum + payload.length, 0);
    };
    expect(await bytes()).toBe(65_535);
    await pipe.receive(windowUpdateFrame(0, 20_000));
    expect(await bytes()).toBe(80_000);
    await pipe.receive(headersOf(1, status200, true), headersOf(3, status200, true));
    expect((await Promise.all(answers)).map(textOf)).toEqual(['200 ', '200 ']);
  });

  const kib = Buffer.alloc(16_384);

  test('are replenished when half of them is used', async () => {
    const pipe = await pipes.open();
    const answer = pipe.call({ maxBytes: 32 * 1024 * 1024 });
    await pipe.receive(headersOf(1, status200));
    for (let mib = 0; mib < 16; mib++) await pipe.receive(...repeated(64, dataFrame(1, kib, false)));
    const updates = (await pipe.sentOf(frameTypes.windowUpdate)).slice(1);
    const sum = (id: number): number =>
      updates
        .filter((one) => one.id === id)
        .reduce((total, { payload }) => total + payload.readUInt32BE(0), 0);
    expect([sum(0), sum(1)]).toEqual([16 * 1024 * 1024, 16 * 1024 * 1024]);
    await pipe.receive(dataFrame(1, empty, true));
    expect((await answer) as HttpAnswer).toMatchObject({ body: { length: 16 * 1024 * 1024 } });
  });
});
