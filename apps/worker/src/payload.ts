import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  maxJobTextBytes,
  maxPayloadChunks,
  payloadChunkKey,
  payloadKey,
} from '@interlock/api/worker-contract';
import { errorCode, Misconfigured } from './misconfigured.js';

/**
 * A character of three bytes in UTF-8 takes two bytes in UTF-16; for all other characters, UTF-8 is not longer than
 * UTF-16.
 */
const maxPayloadBytes = maxJobTextBytes * 1.5;

/**
 * Returns the text of the job in a folder: the file `payload`, or the chunks `payload.000`, `payload.001` and so on, joined. The
 * bytes are decoded strictly as UTF-8, without their byte order mark, and not changed otherwise: to parse and write them again
 * would round numbers. Messages name paths and sizes only, because everything in the payload can be secret.
 *
 * @throws Misconfigured when it is missing, incomplete, too large, or not UTF-8 text of a JSON object
 */
export function readPayloadFolder(folder: string): string {
  const files = payloadFiles(folder).map((name) => join(folder, name));
  let bytes = 0;
  for (const file of files) bytes += sizeOf(file);
  if (bytes > maxPayloadBytes)
    throw new Misconfigured(`the payload in ${folder} has ${bytes} bytes, more than ${maxPayloadBytes}`);
  const text = decode(folder, Buffer.concat(files.map(read)));
  if (!/^\s{0,100}\{/.test(text) || !/\}\s{0,100}$/.test(text.slice(-101)))
    throw new Misconfigured(
      `the payload in ${folder} is not a JSON object; write the whole job message into it`,
    );
  return text;
}

function payloadFiles(folder: string): string[] {
  const names = new Set(listed(folder));
  if (names.has(payloadKey)) return [payloadKey];
  const count = [...names].filter((name) => name.startsWith(`${payloadKey}.`)).length;
  if (count === 0)
    throw new Misconfigured(
      `${folder} has neither ${payloadKey} nor ${payloadChunkKey(0)}; mount the Secret of the job there`,
    );
  if (count > maxPayloadChunks)
    throw new Misconfigured(`${folder} has ${count} chunks of the payload, more than ${maxPayloadChunks}`);
  const chunks = Array.from({ length: count }, (_, index) => payloadChunkKey(index));
  const missing = chunks.find((name) => !names.has(name));
  if (missing !== undefined)
    throw new Misconfigured(
      `${folder} has ${count} chunks of the payload but not ${missing}; mount all Secrets of the job`,
    );
  return chunks;
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    throw new Misconfigured(
      `cannot read the folder ${folder} (${errorCode(error)}); mount the Secret of the job there`,
    );
  }
}

function sizeOf(file: string): number {
  try {
    const stat = statSync(file);
    if (stat.isFile()) return stat.size;
  } catch (error) {
    throw unreadable(file, errorCode(error));
  }
  throw unreadable(file, 'not a file');
}

function read(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw unreadable(file, errorCode(error));
  }
}

function unreadable(file: string, why: string): Misconfigured {
  return new Misconfigured(
    `cannot read ${file} (${why}); mount the Secret of the job there, readable by the runner`,
  );
}

function decode(folder: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Misconfigured(
      `the payload in ${folder} is not UTF-8; write the bytes of the job message unchanged`,
    );
  }
}
