import { agent, sha1ObjectFormat, type Capabilities } from './ls-refs.js';
import { AnswerTooLarge, encodePackets, line, ProtocolError, textOf, type Packet } from './pkt-line.js';

/* The purpose of a packet of the pack (gitprotocol-v2(5), "fetch", "packfile section"). */
const band = { pack: 1, progress: 2 };
/* The overhead of a packet in memory, which bounds their number. */
const packetBytes = 100;

/** A request for objects of a remote. */
export interface PackQuestion {
  /** The requested objects. */
  ids: ReadonlySet<string>;
  /**
   * Local commits with their history and trees. With them, the requested objects are commits: all new objects behind them
   * are sent except blobs, possibly as deltas of local objects. If absent, only the objects are sent, and deltas have a base
   * in the pack.
   */
  haves?: readonly string[];
}

/** Returns the body of the request for objects (gitprotocol-v2(5), "fetch"). */
export function fetchRequest(
  capabilities: Pick<Capabilities, 'agent' | 'objectFormat'>,
  { ids, haves }: PackQuestion,
): Buffer {
  return encodePackets([
    line('command=fetch'),
    ...(capabilities.agent ? [line(`agent=${agent}`)] : []),
    ...(capabilities.objectFormat ? [line(sha1ObjectFormat)] : []),
    'delimiter',
    line('no-progress'),
    ...(haves === undefined ? [] : ['thin-pack', 'ofs-delta', 'filter blob:none'].map(line)),
    ...[...ids].map((id) => line(`want ${id}`)),
    ...(haves ?? []).map((id) => line(`have ${id}`)),
    line('done'),
    'flush',
  ]);
}

/**
 * Returns the pack of a response.
 * @param maxBytes bound of the response, beyond which nothing is read.
 * @throws AnswerTooLarge beyond the bound, ProtocolError unless it is a complete pack.
 */
export async function readPack(packets: AsyncIterable<Packet>, maxBytes: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let isPack = false;
  let isWhole = false;
  let bytes = 0;
  for await (const packet of packets) {
    if (isWhole) throw new ProtocolError('the answer continues after its end');
    if (!isPack) {
      if (textOf(packet) !== 'packfile') throw new ProtocolError('the answer is not a pack');
      isPack = true;
    } else if (Buffer.isBuffer(packet)) {
      bytes += packet.length + packetBytes;
      if (bytes > maxBytes) throw new AnswerTooLarge(`the answer has more than ${maxBytes} bytes`);
      if (packet[0] === band.pack) parts.push(packet.subarray(1));
      else if (packet[0] !== band.progress) throw new ProtocolError('the remote reports an error');
    } else {
      isWhole = packet === 'flush';
      if (!isWhole) throw new ProtocolError('the answer has an unexpected section');
    }
  }
  if (!isWhole) throw new ProtocolError('the answer ends early');
  return Buffer.concat(parts);
}
