import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FrameReader } from './frame-reader.js';
import { contentOf, dataFrame, flags, frameOf, frameTypes, goawayFrame, headersFrames } from './frames.js';
import { errorCodes } from './http2-error.js';

function read(parts: readonly Buffer[]): [type: number, flagBits: number, id: number, payload: string][] {
  const seen: [number, number, number, string][] = [];
  const reader = new FrameReader({
    frame: (type, flagBits, id, payload) => seen.push([type, flagBits, id, payload.toString('hex')]),
  });
  for (const part of parts) reader.write(part);
  return seen;
}

const header = (type: number, flagBits: number, id: number, length: number): Buffer => {
  const bytes = Buffer.alloc(9);
  bytes.writeUIntBE(length, 0, 3);
  bytes.set([type, flagBits], 3);
  bytes.writeUInt32BE(id, 5);
  return bytes;
};

describe('FrameReader', () => {
  test('reads the same frames, however their bytes are split', () => {
    const frames = [
      frameOf(frameTypes.settings, 0, 0, Buffer.alloc(12)),
      dataFrame(1, Buffer.from('hello'), false),
      dataFrame(3, Buffer.alloc(0), true),
      frameOf(0x42, 0xff, 0, Buffer.from('unknown')),
      dataFrame(5, Buffer.alloc(300, 7), false),
      goawayFrame(2),
    ];
    const bytes = Buffer.concat(frames);
    const whole = read([bytes]);
    expect(whole).toHaveLength(frames.length);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (sizes) => {
        const parts: Buffer[] = [];
        for (let at = 0, n = 0; at < bytes.length; n++) {
          parts.push(bytes.subarray(at, at + sizes[n % sizes.length]!));
          at += sizes[n % sizes.length]!;
        }
        expect(read(parts)).toEqual(whole);
      }),
      { numRuns: 100, seed: 9113 },
    );
  });

  test('ignores the reserved bit of a stream id', () => {
    const frame = dataFrame(7, Buffer.from('a'), false);
    frame[5] = 0x80;
    expect(read([frame])).toEqual([[0, 0, 7, '61']]);
  });

  test.each<[title: string, header: Buffer, code: keyof typeof errorCodes]>([
    ['a frame that is larger than permitted', header(0, 0, 1, 16_385), 'FRAME_SIZE_ERROR'],
    ['an unknown frame that is larger than permitted', header(99, 0, 1, 2 ** 24 - 1), 'FRAME_SIZE_ERROR'],
    ['DATA without a stream', header(0, 0, 0, 0), 'PROTOCOL_ERROR'],
    ['HEADERS without a stream', header(1, 0, 0, 0), 'PROTOCOL_ERROR'],
    ['HEADERS for a stream of the server', header(1, 0, 2, 0), 'PROTOCOL_ERROR'],
    ['PRIORITY without a stream', header(2, 0, 0, 5), 'PROTOCOL_ERROR'],
    ['RST_STREAM without a stream', header(3, 0, 0, 4), 'PROTOCOL_ERROR'],
    ['RST_STREAM of another size', header(3, 0, 1, 5), 'FRAME_SIZE_ERROR'],
    ['SETTINGS with a stream', header(4, 0, 1, 6), 'PROTOCOL_ERROR'],
    ['SETTINGS with half a setting', header(4, 0, 0, 7), 'FRAME_SIZE_ERROR'],
    ['an acknowledgement of settings with content', header(4, flags.ack, 0, 6), 'FRAME_SIZE_ERROR'],
    ['PUSH_PROMISE', header(5, 0, 1, 4), 'PROTOCOL_ERROR'],
    ['PING with a stream', header(6, 0, 1, 8), 'PROTOCOL_ERROR'],
    ['PING of another size', header(6, 0, 0, 7), 'FRAME_SIZE_ERROR'],
    ['GOAWAY with a stream', header(7, 0, 1, 8), 'PROTOCOL_ERROR'],
    ['GOAWAY that is too short', header(7, 0, 0, 7), 'FRAME_SIZE_ERROR'],
    ['WINDOW_UPDATE of another size', header(8, 0, 1, 3), 'FRAME_SIZE_ERROR'],
    ['CONTINUATION without a stream', header(9, 0, 0, 0), 'PROTOCOL_ERROR'],
  ])('refuses %s before its content arrives', (_title, bytes, code) => {
    const refusal = expect.objectContaining({ errorCode: errorCodes[code], code: `HTTP2_${code}` });
    expect(() => read([bytes])).toThrow(refusal);
    expect(() => read([...bytes].map((byte) => Buffer.from([byte])))).toThrow(refusal);
  });
});

describe('a frame', () => {
  const { data, headers } = frameTypes;

  test.each([
    ['without padding', data, 0, '0102', '0102'],
    ['with padding', data, flags.padded, '02610000', '61'],
    ['with padding alone', data, flags.padded, '020000', ''],
    ['with a priority', headers, flags.priority, '000000000182', '82'],
    ['with padding and a priority', headers, flags.padded | flags.priority, '0100000000018200', '82'],
    ['with flags of another type', data, flags.priority, '0102', '0102'],
  ])('%s has its content', (_title, type, flagBits, payload, content) => {
    expect(contentOf(type, flagBits, Buffer.from(payload, 'hex')).toString('hex')).toBe(content);
  });

  test.each([
    ['padding that is longer than the rest', data, flags.padded, '036100', 'PROTOCOL_ERROR'],
    ['no length of its padding', data, flags.padded, '', 'FRAME_SIZE_ERROR'],
    ['half a priority', headers, flags.priority, '0000', 'FRAME_SIZE_ERROR'],
    ['padding over its priority', headers, flags.padded | flags.priority, '010000000001', 'PROTOCOL_ERROR'],
  ] as const)('with %s is refused', (_title, type, flagBits, payload, code) => {
    expect(() => contentOf(type, flagBits, Buffer.from(payload, 'hex'))).toThrow(
      expect.objectContaining({ errorCode: errorCodes[code] }),
    );
  });

  test('is continued when its header block is larger than a frame may be', () => {
    const block = 'a'.repeat(16_384) + 'b'.repeat(16_384) + 'c';
    const frames = read([Buffer.from(headersFrames(3, block, true, 16_384), 'latin1')]);
    expect(frames.map(([type, flagBits, id]) => [type, flagBits, id])).toEqual([
      [headers, flags.endStream, 3],
      [frameTypes.continuation, 0, 3],
      [frameTypes.continuation, flags.endHeaders, 3],
    ]);
    expect(Buffer.from(frames.map(([, , , payload]) => payload).join(''), 'hex').toString()).toBe(block);
  });
});
