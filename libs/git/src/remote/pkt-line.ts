/** One packet of git's wire protocols: the content of a line, or a separator without content. */
export type Packet = Buffer | 'flush' | 'delimiter' | 'response-end';

const lengthDigits = 4;
/* The maximum length of a packet, including the length itself (gitprotocol-common(5)). */
const maxPacketBytes = 65_520;
const separators = ['flush', 'delimiter', 'response-end'] as const;

/** Thrown when the data of a remote violates the protocol. */
export class ProtocolError extends Error {}

/** Thrown when the response of a remote exceeds the bound. */
export class AnswerTooLarge extends ProtocolError {}

/** Returns the bytes of the packets. @throws RangeError for a line of more than 65,516 bytes. */
export function encodePackets(packets: readonly Packet[]): Buffer {
  return Buffer.concat(packets.map(encodePacket));
}

function encodePacket(packet: Packet): Buffer {
  if (!Buffer.isBuffer(packet)) return Buffer.from(hex(separators.indexOf(packet)));
  const length = lengthDigits + packet.length;
  if (length > maxPacketBytes) throw new RangeError(`a packet of ${length} bytes is too long`);
  return Buffer.concat([Buffer.from(hex(length)), packet]);
}

function hex(length: number): string {
  return length.toString(16).padStart(lengthDigits, '0');
}

/**
 * Returns the complete packets in `bytes`, and the remaining bytes, which begin the next one.
 * @throws ProtocolError for a malformed length.
 */
export function splitPackets(bytes: Buffer): { packets: Packet[]; rest: Buffer } {
  const packets: Packet[] = [];
  let at = 0;
  while (bytes.length - at >= lengthDigits) {
    const digits = bytes.toString('latin1', at, at + lengthDigits);
    const length = /^[0-9a-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : NaN;
    const separator = separators[length];
    if (separator === undefined && !(length >= lengthDigits && length <= maxPacketBytes)) {
      throw new ProtocolError('the length of a packet is malformed');
    }
    const end = at + (separator === undefined ? length : lengthDigits);
    if (end > bytes.length) break;
    packets.push(separator ?? bytes.subarray(at + lengthDigits, end));
    at = end;
  }
  return { packets, rest: bytes.subarray(at) };
}

/** Returns the packets of a body as they arrive. @throws ProtocolError when it is malformed, or ends within a packet. */
export async function* readPackets(body: AsyncIterable<Uint8Array>): AsyncGenerator<Packet> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of body) {
    const split = splitPackets(Buffer.concat([rest, chunk]));
    yield* split.packets;
    ({ rest } = split);
  }
  if (rest.length > 0) throw new ProtocolError('the answer ends within a packet');
}

/** Returns the packet of a line. */
export function line(text: string): Buffer {
  return Buffer.from(`${text}\n`);
}

/** Returns the line of a packet; empty for a separator. */
export function textOf(packet: Packet): string {
  return Buffer.isBuffer(packet) ? packet.toString('utf8').replace(/\n$/, '') : '';
}
