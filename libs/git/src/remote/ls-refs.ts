import { isObjectId } from '../names.js';
import { encodePackets, line, ProtocolError, textOf, type Packet } from './pkt-line.js';

/** The capabilities of a remote for `ls-refs` and `fetch` (gitprotocol-v2(5), "Capability Advertisement"). */
export interface Capabilities {
  /** Whether the remote serves objects. */
  fetch: boolean;
  /** Whether the remote can omit blobs. */
  filter: boolean;
  /** Whether the remote accepts an agent. */
  agent: boolean;
  /** Whether the remote accepts the object format. */
  objectFormat: boolean;
}

/** Thrown when the remote permanently lacks support for `ls-refs` or for fetching objects. */
export class NotOffered extends Error {}

/** The agent of the client; forges recognize git clients by its first word. */
export const agent = 'git/interlock';
export const sha1ObjectFormat = 'object-format=sha1';
const maxCapabilities = 1_000;
/** Beyond this number, all references are requested instead of the names. */
export const maxNames = 500;

/**
 * Returns the capabilities of the remote.
 * @throws NotOffered unless it supports protocol version 2, `ls-refs` and SHA-1 object ids.
 */
export async function readCapabilities(packets: AsyncIterable<Packet>): Promise<Capabilities> {
  const lines: string[] = [];
  for await (const packet of packets) {
    const line = textOf(packet);
    // Some servers announce the service before the version, as in version 0.
    if (lines.length === 0 && (line === '# service=git-upload-pack' || packet === 'flush')) continue;
    if (packet === 'flush') return capabilitiesOf(lines);
    lines.push(line);
    if (lines[0] !== 'version 2') throw new NotOffered('it does not speak protocol version 2');
    if (lines.length > maxCapabilities) throw new NotOffered('it offers too many capabilities');
  }
  throw new ProtocolError('the list of capabilities ends early');
}

function capabilitiesOf(lines: readonly string[]): Capabilities {
  const names = lines.map((line) => line.split('=')[0]);
  if (!names.includes('ls-refs')) throw new NotOffered('it does not offer ls-refs');
  const objectFormat = names.includes('object-format');
  if (objectFormat && !lines.includes(sha1ObjectFormat))
    throw new NotOffered('its object format is not sha1');
  const features = lines.find((line) => line.startsWith('fetch='))?.slice('fetch='.length);
  return {
    fetch: names.includes('fetch'),
    filter: features?.split(' ').includes('filter') === true,
    agent: names.includes('agent'),
    objectFormat,
  };
}

/** Returns the body of the request for references with these full names (gitprotocol-v2(5), "ls-refs"). */
export function lsRefsRequest(
  capabilities: Pick<Capabilities, 'agent' | 'objectFormat'>,
  names: ReadonlySet<string>,
): Buffer {
  const prefixes = names.size <= maxNames ? [...names].map((name) => line(`ref-prefix ${name}`)) : [];
  return encodePackets([
    line('command=ls-refs'),
    ...(capabilities.agent ? [line(`agent=${agent}`)] : []),
    ...(capabilities.objectFormat ? [line(sha1ObjectFormat)] : []),
    'delimiter',
    ...prefixes,
    'flush',
  ]);
}

/**
 * Returns the object ids of the `names` that the remote has; other references with these prefixes are skipped.
 * @throws ProtocolError unless it is a complete list of references.
 */
export async function readRefs(
  packets: AsyncIterable<Packet>,
  names: ReadonlySet<string>,
): Promise<Map<string, string>> {
  const refs = new Map<string, string>();
  let isWhole = false;
  for await (const packet of packets) {
    if (isWhole) throw new ProtocolError('the answer continues after its end');
    isWhole = packet === 'flush';
    if (isWhole) continue;
    const [sha = '', ref = ''] = textOf(packet).split(' ');
    if (!isObjectId(sha) || ref === '') throw new ProtocolError('a line is not a reference');
    if (names.has(ref)) refs.set(ref, sha);
  }
  if (!isWhole) throw new ProtocolError('the answer ends early');
  return refs;
}
