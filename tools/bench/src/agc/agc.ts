import type { Benchmark } from '../benchmark.js';
import { measureGateway } from './gateway.js';
import { measureSessions } from './idle-sessions.js';
import { soakSessions } from './soak.js';

/** Measures sessions of the broker next to other implementations of long polls, and the AGC from a message to the pod. */
export const agc: Benchmark = {
  description:
    'sessions of the broker compared with node:http and Go: memory, answer to handler, bursts; the AGC: message to pod, memory',
  run: async (context) => [...(await measureSessions(context)), ...(await measureGateway(context))],
  soak: soakSessions,
};
