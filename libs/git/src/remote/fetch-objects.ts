import { AGENT, OBJECT_FORMAT, type Capabilities } from './ls-refs.js';
import { encodePackets, line, ProtocolError, textOf, type Packet } from './pkt-line.js';

/* What a packet of the pack is for (gitprotocol-v2(5), "fetch", "packfile section"). */
const band = { pack: 1, progress: 2 };
/* What holding a packet takes besides its bytes, so that there are not too many of them. */
const packetBytes = 100;

/**
 * Returns the body of the request for these objects and nothing else (gitprotocol-v2(5), "fetch"). Without further words
 * from here, deltas have a base in the pack, which they name by its id.
 */
export function fetchRequest(
  capabilities: Pick<Capabilities, 'agent' | 'objectFormat'>,
  ids: ReadonlySet<string>,
): Buffer {
  return encodePackets([
    line('command=fetch'),
    ...(capabilities.agent ? [line(`agent=${AGENT}`)] : []),
    ...(capabilities.objectFormat ? [line(OBJECT_FORMAT)] : []),
    'delimiter',
    line('no-progress'),
    ...[...ids].map((id) => line(`want ${id}`)),
    line('done'),
    'flush',
  ]);
}

/**
 * Returns the pack of an answer.
 * @param maxBytes bound of all that is sent, beyond which nothing is read.
 * @throws ProtocolError for anything but a whole pack.
 */
export async function readPack(packets: AsyncIterable<Packet>, maxBytes: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let isPack = false;
  let isWhole = false;
  let bytes = 0;
  for await (const packet of packets) {
    if (isWhole) throw new ProtocolError('the answer goes on after its end');
    if (!isPack) {
      if (textOf(packet) !== 'packfile') throw new ProtocolError('the answer is not a pack');
      isPack = true;
    } else if (Buffer.isBuffer(packet)) {
      bytes += packet.length + packetBytes;
      if (bytes > maxBytes) throw new ProtocolError(`the answer has more than ${maxBytes} bytes`);
      if (packet[0] === band.pack) parts.push(packet.subarray(1));
      else if (packet[0] !== band.progress) throw new ProtocolError('the remote reports an error');
    } else {
      isWhole = packet === 'flush';
      if (!isWhole) throw new ProtocolError('the answer has another section');
    }
  }
  if (!isWhole) throw new ProtocolError('the answer has no end');
  return Buffer.concat(parts);
}
