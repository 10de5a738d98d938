import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { encodePackets, readPackets, splitPackets, type Packet } from './pkt-line.js';

async function read(...chunks: readonly Uint8Array[]): Promise<Packet[]> {
  async function* body() {
    yield* chunks;
  }
  const packets: Packet[] = [];
  for await (const packet of readPackets(body())) packets.push(packet);
  return packets;
}

describe('packets', () => {
  /* The examples of gitprotocol-common(5), and the separators of gitprotocol-v2(5). */
  test.each<[string, Packet]>([
    ['0006a\n', Buffer.from('a\n')],
    ['0005a', Buffer.from('a')],
    ['000bfoobar\n', Buffer.from('foobar\n')],
    ['0004', Buffer.from('')],
    ['0000', 'flush'],
    ['0001', 'delimiter'],
    ['0002', 'response-end'],
  ])('are written and read as %j', async (text, packet) => {
    expect(encodePackets([packet]).toString()).toBe(text);
    expect(await read(Buffer.from(text))).toEqual([packet]);
  });

  test('may have a length in uppercase letters', async () => {
    expect(await read(Buffer.from('000Afoobar'))).toEqual([Buffer.from('foobar')]);
  });

  const packet = fc.oneof(
    fc.constantFrom<Packet>('flush', 'delimiter', 'response-end'),
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  );

  test('are read as written, however the bytes arrive', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(packet), fc.array(fc.nat(2_000)), async (packets, cuts) => {
        const bytes = encodePackets(packets);
        const ends = [...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
        const chunks = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
        expect(await read(...chunks)).toEqual(packets);
      }),
    );
  });

  test('have at most 65,516 bytes in a line', async () => {
    const longest = Buffer.alloc(65_516, 'x');
    expect(await read(encodePackets([longest]))).toEqual([longest]);
    expect(() => encodePackets([Buffer.alloc(65_517)])).toThrow(RangeError);
    expect(() => splitPackets(Buffer.from('fff1'))).toThrow('malformed');
  });

  test.each(['0003', 'zzzz', ' 0a0', '+001', '-001', '0x10', '<htm'])(
    'are refused if a length is malformed: %j',
    async (text) => {
      await expect(read(Buffer.from(text))).rejects.toThrow('malformed');
    },
  );

  test.each(['0', '000', '0006a', '0000fff0'])(
    'are refused when the input ends within a packet: %j',
    async (text) => {
      await expect(read(Buffer.from(text))).rejects.toThrow('ends within');
    },
  );

  test('are parsed from any bytes, or an error is thrown, without losing bytes', () => {
    const digits = fc.constantFrom(...'00001234567f').map((digit) => digit.charCodeAt(0));
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array(), fc.array(digits)), (input) => {
        const bytes = Buffer.from(input);
        let split: ReturnType<typeof splitPackets>;
        try {
          split = splitPackets(bytes);
        } catch {
          return;
        }
        expect(
          Buffer.concat([encodePackets(split.packets), split.rest])
            .toString('latin1')
            .toLowerCase(),
        ).toBe(bytes.toString('latin1').toLowerCase());
      }),
    );
  });
});
