/** One field of a protobuf message: a varint or fixed number, or bytes. */
export interface WireField {
  number: number;
  value: bigint | Uint8Array;
}

/** A message that cannot be decoded. */
export class ProtobufError extends Error {
  override readonly name = 'ProtobufError';
}

/**
 * Reads the fields of a message in their order (protobuf encoding, wire types 0, 1, 2 and 5). Throws ProtobufError when
 * the bytes are cut short or of another wire type.
 */
export function* readFields(bytes: Uint8Array): Generator<WireField> {
  let offset = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[offset];
      if (byte === undefined) throw new ProtobufError('unexpected EOF');
      offset += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new ProtobufError('integer overflow');
  };
  const take = (length: number): Uint8Array => {
    if (length > bytes.length - offset) throw new ProtobufError('unexpected EOF');
    offset += length;
    return bytes.subarray(offset - length, offset);
  };
  const fixed = (length: number): bigint =>
    take(length).reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
  while (offset < bytes.length) {
    const tag = varint();
    const number = Number(tag >> 3n);
    switch (Number(tag & 7n)) {
      case 0:
        yield { number, value: varint() };
        break;
      case 1:
        yield { number, value: fixed(8) };
        break;
      case 2:
        yield { number, value: take(Number(varint())) };
        break;
      case 5:
        yield { number, value: fixed(4) };
        break;
      default:
        throw new ProtobufError(`illegal wireType ${String(tag & 7n)}`);
    }
  }
}
