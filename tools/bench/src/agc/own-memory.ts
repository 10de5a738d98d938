import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import type { ClientMemory } from './client-methods.js';

/** Returns the memory of this process after a garbage collection that releases as much as possible. */
export async function ownMemory(): Promise<ClientMemory> {
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.collectGarbage');
  session.disconnect();
  const status = readFileSync('/proc/self/status', 'utf8');
  const bytes = (field: string): number =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024;
  return { anonymous: bytes('RssAnon'), rss: bytes('VmRSS'), heapUsed: process.memoryUsage().heapUsed };
}
