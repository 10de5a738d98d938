import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readRefs, symbolicTarget } from './refs.js';

const delimiter = Symbol('delimiter');
const flush = Symbol('flush');
type Packet = string | typeof delimiter | typeof flush;

const objectId = /^[0-9a-f]{40}$/;

/**
 * Responds to a request for references in protocol version 2 (gitprotocol-v2(5), "ls-refs") from the files of the
 * repository, as upload-pack does with the settings of these repositories.
 *
 * @param body the body of the request, unchanged.
 * @returns undefined for all other requests, and for a request for more than names and objects, which git handles.
 */
export async function lsRefs(repositoryPath: string, body: Buffer): Promise<Buffer | undefined> {
  const prefixes = prefixesOf(packetsOf(body) ?? []);
  if (prefixes === undefined) return undefined;
  const asked = prefixes.length === 0 ? [''] : prefixes;
  const refs = readRefs(repositoryPath, asked);
  const answer = [...refs].map(([name, id]) => ({ line: `${id} ${name}`, name: Buffer.from(name) }));
  const lines = answer.sort((a, b) => Buffer.compare(a.name, b.name)).map(({ line }) => line);
  if (asked.some((prefix) => 'HEAD'.startsWith(prefix))) {
    const text = await readFile(join(repositoryPath, 'HEAD'), 'utf8');
    const target = symbolicTarget(text);
    const id = target === undefined ? text.trimEnd() : readRefs(repositoryPath, [target]).get(target);
    if (id !== undefined && objectId.test(id)) lines.unshift(`${id} HEAD`);
  }
  return Buffer.from(`${lines.map(packetLine).join('')}0000`);
}

/** Returns the packets of a body that contains only complete packets (gitprotocol-common(5)). */
function packetsOf(body: Buffer): Packet[] | undefined {
  const packets: Packet[] = [];
  for (let at = 0; at < body.length;) {
    const digits = body.toString('latin1', at, at + 4);
    const length = /^[0-9a-f]{4}$/.test(digits) ? Number.parseInt(digits, 16) : NaN;
    if (length === 0 || length === 1) {
      packets.push(length === 0 ? flush : delimiter);
      at += 4;
      continue;
    }
    if (!(length > 4) || at + length > body.length) return undefined;
    packets.push(body.toString('utf8', at + 4, at + length).replace(/\n$/, ''));
    at += length;
  }
  return packets;
}

/**
 * Returns the requested prefixes of names; an empty list means all names. Returns undefined if the request contains
 * anything else.
 */
function prefixesOf(packets: readonly Packet[]): string[] | undefined {
  const end = packets.indexOf(delimiter);
  const [command, ...capabilities] = packets.slice(0, end === -1 ? -1 : end);
  if (command !== 'command=ls-refs' || packets.indexOf(flush) !== packets.length - 1) return undefined;
  const isKnown = (packet: Packet) =>
    typeof packet === 'string' && /^(agent=.*|object-format=sha1)$/.test(packet);
  if (!capabilities.every(isKnown)) return undefined;
  const prefixes: string[] = [];
  for (const packet of end === -1 ? [] : packets.slice(end + 1, -1)) {
    const prefix = typeof packet === 'string' ? /^ref-prefix (.*)$/.exec(packet)?.[1] : undefined;
    if (prefix === undefined) return undefined;
    prefixes.push(prefix);
  }
  return prefixes;
}

function packetLine(text: string): string {
  const line = `${text}\n`;
  return `${(Buffer.byteLength(line) + 4).toString(16).padStart(4, '0')}${line}`;
}
