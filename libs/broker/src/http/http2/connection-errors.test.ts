import { afterEach, describe, expect, test } from '@jest/globals';
import { headersOf, Http2Pipes, repeated, status200, statusField } from '../../testing/http2-pipe.js';
import {
  dataFrame,
  flags,
  frameOf,
  frameTypes,
  pingFrame,
  rstStreamFrame,
  settingsFrame,
  windowUpdateFrame,
} from './frames.js';
import { errorCodes, type ErrorCodeName } from './http2-error.js';
import { settingIds } from './peer-settings.js';

const pipes = new Http2Pipes();
afterEach(() => pipes.close());

const interim = statusField(103);
const empty = Buffer.alloc(0);

describe('a connection', () => {
  test.each<[title: string, frames: Buffer[], code: ErrorCodeName]>([
    ['DATA for a stream that was never open', [dataFrame(5, empty, true)], 'PROTOCOL_ERROR'],
    ['HEADERS for a stream that was never open', [headersOf(5, status200)], 'PROTOCOL_ERROR'],
    ['RST_STREAM for a stream that was never open', [rstStreamFrame(5, 0)], 'PROTOCOL_ERROR'],
    ['WINDOW_UPDATE for a stream that was never open', [windowUpdateFrame(5, 1)], 'PROTOCOL_ERROR'],
    ['DATA after the end', [headersOf(3, status200, true), dataFrame(3, empty, true)], 'STREAM_CLOSED'],
    ['HEADERS after the end', [headersOf(3, status200, true), headersOf(3, status200)], 'STREAM_CLOSED'],
    ['CONTINUATION without HEADERS', [frameOf(frameTypes.continuation, 0, 1, empty)], 'PROTOCOL_ERROR'],
    [
      'another frame within a header block',
      [frameOf(frameTypes.headers, 0, 1, status200), pingFrame(Buffer.alloc(8), false)],
      'PROTOCOL_ERROR',
    ],
    [
      'an unknown frame within a header block',
      [frameOf(frameTypes.headers, 0, 1, status200), frameOf(99, 0, 1, empty)],
      'PROTOCOL_ERROR',
    ],
    [
      'CONTINUATION of another stream',
      [frameOf(frameTypes.headers, 0, 1, status200), frameOf(frameTypes.continuation, 4, 3, empty)],
      'PROTOCOL_ERROR',
    ],
    [
      'a header block of too many frames',
      [
        frameOf(frameTypes.headers, 0, 1, status200),
        ...repeated(40, frameOf(frameTypes.continuation, 0, 1, empty)),
      ],
      'ENHANCE_YOUR_CALM',
    ],
    [
      'a header block that is too large',
      [
        frameOf(frameTypes.headers, 0, 1, Buffer.alloc(16_384)),
        ...repeated(2, frameOf(frameTypes.continuation, 0, 1, Buffer.alloc(16_384))),
      ],
      'ENHANCE_YOUR_CALM',
    ],
    ['a header block that cannot be decoded', [headersOf(1, Buffer.from([0x80]))], 'COMPRESSION_ERROR'],
    [
      'padding that is too long',
      [frameOf(frameTypes.data, flags.padded, 1, Buffer.from([9]))],
      'PROTOCOL_ERROR',
    ],
    ['a pushed stream', [frameOf(frameTypes.pushPromise, 4, 1, Buffer.alloc(4))], 'PROTOCOL_ERROR'],
    ['ENABLE_PUSH', [settingsFrame([[settingIds.enablePush, 1]])], 'PROTOCOL_ERROR'],
    [
      'a frame size that is too small',
      [settingsFrame([[settingIds.maxFrameSize, 16_383]])],
      'PROTOCOL_ERROR',
    ],
    [
      'a frame size that is too large',
      [settingsFrame([[settingIds.maxFrameSize, 2 ** 24]])],
      'PROTOCOL_ERROR',
    ],
    [
      'an initial window that is too large',
      [settingsFrame([[settingIds.initialWindowSize, 2 ** 31]])],
      'FLOW_CONTROL_ERROR',
    ],
    [
      'an initial window that makes a window too large',
      [windowUpdateFrame(1, 1_000_000), settingsFrame([[settingIds.initialWindowSize, 2 ** 31 - 1]])],
      'FLOW_CONTROL_ERROR',
    ],
    ['a window that is too large', [windowUpdateFrame(0, 2 ** 31 - 1)], 'FLOW_CONTROL_ERROR'],
    ['an increment of 0', [windowUpdateFrame(0, 0)], 'PROTOCOL_ERROR'],
    ['a flood of PING', repeated(1_100, pingFrame(Buffer.alloc(8), false)), 'ENHANCE_YOUR_CALM'],
    ['a flood of acknowledgements', repeated(1_100, pingFrame(Buffer.alloc(8), true)), 'ENHANCE_YOUR_CALM'],
    ['a flood of SETTINGS', repeated(1_100, settingsFrame([])), 'ENHANCE_YOUR_CALM'],
    ['a flood of WINDOW_UPDATE', repeated(1_100, windowUpdateFrame(0, 1)), 'ENHANCE_YOUR_CALM'],
    [
      'a flood of PRIORITY',
      repeated(1_100, frameOf(frameTypes.priority, 0, 1, Buffer.alloc(5))),
      'ENHANCE_YOUR_CALM',
    ],
    ['a flood of unknown frames', repeated(1_100, frameOf(99, 0, 0, empty)), 'ENHANCE_YOUR_CALM'],
    ['a flood of RST_STREAM', repeated(1_100, rstStreamFrame(1, 8)), 'ENHANCE_YOUR_CALM'],
    ['a flood of interim heads', repeated(1_100, headersOf(1, interim)), 'ENHANCE_YOUR_CALM'],
    [
      'a flood of empty content',
      [headersOf(1, status200), ...repeated(1_100, dataFrame(1, empty, false))],
      'ENHANCE_YOUR_CALM',
    ],
  ])('ends with a reason after %s', async (_title, frames, code) => {
    const pipe = await pipes.open();
    const answers = [pipe.call(), pipe.call()];
    await pipe.sent();
    await pipe.receive(...frames);
    expect(await pipe.goawayCode()).toBe(errorCodes[code]);
    expect(pipe.isClosed).toBe(true);
    expect(await answers[0]).toMatchObject({ reason: 'AnswerLost' });
    expect(pipe.connection.room).toBe(0);
    expect(pipe.socket.destroyed).toBe(true);
  });
});
