import { afterEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  headersOf,
  Http2Pipes,
  literalField,
  repeated,
  status200,
  status304,
  statusField,
  textOf,
} from '../../testing/http2-pipe.js';
import {
  dataFrame,
  flags,
  frameOf,
  frameTypes,
  rstStreamFrame,
  settingsFrame,
  windowUpdateFrame,
} from './frames.js';
import { errorCodes, type ErrorCodeName } from './http2-error.js';
import { settingIds } from './peer-settings.js';

const pipes = new Http2Pipes();
afterEach(() => pipes.close());

const interim = statusField(103);
const block = (...parts: readonly Uint8Array[]): Buffer => Buffer.concat(parts);

describe('an answer', () => {
  /** An interim head, a padded head in three frames, padded content, an unknown frame, and a trailer. */
  const whole = [
    headersOf(1, interim),
    frameOf(frameTypes.headers, flags.padded, 1, block(Buffer.from([2]), status200, Buffer.alloc(2))),
    frameOf(frameTypes.continuation, 0, 1, literalField('content-length', '11').subarray(0, 9)),
    frameOf(frameTypes.continuation, flags.endHeaders, 1, literalField('content-length', '11').subarray(9)),
    frameOf(frameTypes.data, flags.padded, 1, block(Buffer.from([3]), Buffer.from('hello'), Buffer.alloc(3))),
    frameOf(0x77, 0, 0, Buffer.from('unknown')),
    frameOf(frameTypes.priority, 0, 1, Buffer.alloc(5)),
    dataFrame(1, Buffer.from(' again'), false),
    headersOf(1, literalField('checksum', 'abc'), true),
  ];

  test('is the same, however its bytes are split', async () => {
    const bytes = Buffer.concat(whole);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }), async (sizes) => {
        const pipe = await pipes.open();
        const answer = pipe.call();
        for (let at = 0, n = 0; at < bytes.length; n++) {
          pipe.socket.push(bytes.subarray(at, at + sizes[n % sizes.length]!));
          at += sizes[n % sizes.length]!;
        }
        expect(await answer).toMatchObject({ status: 200, headers: { 'content-length': '11' } });
        expect(textOf(await answer)).toBe('200 hello again');
        expect([pipe.connection.streams, await pipe.goawayCode()]).toEqual([0, undefined]);
      }),
      { numRuns: 40, seed: 7541 },
    );
  });

  test.each<[title: string, frames: Buffer[]]>([
    ['content before the head', [dataFrame(1, Buffer.from('a'), false)]],
    [
      'content that is longer than its length',
      [
        headersOf(1, block(status200, literalField('content-length', '1'))),
        dataFrame(1, Buffer.from('ab'), true),
      ],
    ],
    [
      'content that is shorter than its length',
      [
        headersOf(1, block(status200, literalField('content-length', '3'))),
        dataFrame(1, Buffer.from('ab'), true),
      ],
    ],
    [
      'no content in spite of its length',
      [headersOf(1, block(status200, literalField('content-length', '3')), true)],
    ],
    [
      'a length that is not a number',
      [headersOf(1, block(status200, literalField('content-length', '+3')), true)],
    ],
    ['no status', [headersOf(1, literalField('a', 'b'))]],
    ['an interim head that is its end', [headersOf(1, interim, true)]],
    ['a change of the protocol', [headersOf(1, statusField(101))]],
    ['two heads', [headersOf(1, status200), headersOf(1, status200, true)]],
    ['a trailer that is not its end', [headersOf(1, status200), headersOf(1, literalField('a', 'b'))]],
    [
      'a head that is too large',
      [headersOf(1, block(status200, ...repeated(900, literalField('a', 'bbbb'))))],
    ],
    ['an increment of 0', [windowUpdateFrame(1, 0)]],
  ])('with %s fails without an effect on other answers', async (_title, frames) => {
    const pipe = await pipes.open();
    const [answer, other] = [pipe.call(), pipe.call()];
    await pipe.receive(...frames);
    expect(await answer).toMatchObject({
      reason: 'AnswerLost',
      message: 'the answer of broker.example was lost: HTTP2_PROTOCOL_ERROR',
    });
    const [reset] = await pipe.sentOf(frameTypes.rstStream);
    expect([reset?.id, reset?.payload.readUInt32BE(0)]).toEqual([1, errorCodes.PROTOCOL_ERROR]);
    await pipe.receive(dataFrame(1, Buffer.from('late'), true), headersOf(3, status200, true));
    expect(textOf(await other)).toBe('200 ');
  });

  test('that is too large fails without an effect on other answers, and its connection is used again', async () => {
    const pipe = await pipes.open();
    const [answer, other] = [pipe.call({ maxBytes: 3 }), pipe.call()];
    await pipe.receive(headersOf(1, status200), dataFrame(1, Buffer.from('long'), false));
    expect(await answer).toMatchObject({ reason: 'AnswerTooLarge' });
    await pipe.receive(dataFrame(1, Buffer.from('late'), false), headersOf(3, status200, true));
    expect(textOf(await other)).toBe('200 ');
    expect(pipe.connection.room).toBeGreaterThan(0);
  });

  test('without content may state the length of the content that it omits', async () => {
    const pipe = await pipes.open();
    const answer = pipe.call();
    await pipe.receive(headersOf(1, block(status304, literalField('content-length', '3')), true));
    expect(textOf(await answer)).toBe('304 ');
  });

  test.each<[ErrorCodeName | 'unknown', reason: string, code: string]>([
    ['REFUSED_STREAM', 'ConnectFailed', 'HTTP2_REFUSED_STREAM'],
    ['CANCEL', 'AnswerLost', 'HTTP2_CANCEL'],
    ['NO_ERROR', 'AnswerLost', 'HTTP2_NO_ERROR'],
    ['unknown', 'AnswerLost', 'HTTP2_INTERNAL_ERROR'],
  ])('that the server resets with %s has the reason %s', async (name, reason, code) => {
    const pipe = await pipes.open();
    const answer = pipe.call();
    await pipe.receive(
      headersOf(1, status200),
      rstStreamFrame(1, name === 'unknown' ? 99 : errorCodes[name]),
    );
    expect(await answer).toMatchObject({ reason, message: expect.stringContaining(code) });
    expect(pipe.connection.room).toBeGreaterThan(0);
  });

  test('that has ended withdraws the rest of its request', async () => {
    const pipe = await pipes.open();
    await pipe.receive(settingsFrame([[settingIds.initialWindowSize, 100_000]]));
    const answer = pipe.call({ method: 'POST', body: 'x'.repeat(70_000) });
    await pipe.receive(headersOf(1, status200, true));
    expect(textOf(await answer)).toBe('200 ');
    expect((await pipe.sentOf(frameTypes.rstStream)).map(({ id }) => id)).toEqual([1]);
    await pipe.receive(windowUpdateFrame(0, 100_000), windowUpdateFrame(1, 100_000), rstStreamFrame(1, 0));
    expect((await pipe.sentOf(frameTypes.data)).reduce((sum, { payload }) => sum + payload.length, 0)).toBe(
      65_535,
    );
  });
});
