import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { heldBytes } from '../held.js';

const mebibyte = 1024 * 1024;

/** Bytes of buffers that may be discarded before they are collected. V8 would wait for 32 MiB, half of the memory of the proxy. */
const youngBytes = 2 * mebibyte;
/** Bytes of buffers that may be discarded although they have survived a collection. */
const oldBytes = 4 * mebibyte;

/** Collects garbage: young objects only, or all of them. */
type Collect = (isMinor?: true) => void;

let collect: Collect | undefined;
let discarded = 0;
/** Bytes of the buffers in use after the latest full collection, and how many were held then. */
let after = { used: 0, held: 0 };

/** Counts a buffer that becomes garbage when its bytes are delivered. */
export function countGarbage(bytes: number): void {
  discarded += bytes;
  if (discarded < youngBytes) return;
  discarded = 0;
  collect ??= exposeCollect();
  collect(true);
  /* Buffers that were held for a slow reader have survived a collection. They are garbage once they are sent. */
  const used = after.used + Math.min(0, heldBytes.bytes - after.held);
  if (process.memoryUsage().arrayBuffers < used + oldBytes) return;
  collect();
  after = { used: process.memoryUsage().arrayBuffers, held: heldBytes.bytes };
}

/** Returns the function `gc` of V8, which exists only in contexts that are created with its flag. */
function exposeCollect(): Collect {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as Collect;
}
