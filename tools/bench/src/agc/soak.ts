import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchmarkContext, Measurement } from '../benchmark.js';
import { median } from '../statistics.js';
import { protocolNames, protocols, type Protocol } from './protocols.js';
import { SessionPair } from './session-pair.js';

const sessions = 10_000;
/** Half the time that GitHub holds polls, so that there are twice as many polls. */
const holdMs = { least: 20_000, most: 30_000 };
/** Share of the answers that contain a message. */
const messageShare = 0.1;
const samplePeriodMs = 60_000;
const mebibyte = 1024 ** 2;

/** Holds sessions of all protocols for minutes, each with its own service and process, and samples the memory. */
export async function soakSessions(context: BenchmarkContext, minutes: number): Promise<Measurement[]> {
  const parts = await Promise.all(protocols.map((protocol) => soak(protocol, context, minutes)));
  return parts.flat();
}

async function soak(
  protocol: Protocol,
  { say, signal }: BenchmarkContext,
  minutes: number,
): Promise<Measurement[]> {
  const over = protocolNames[protocol];
  return SessionPair.use({ protocol, client: 'broker', signal, holdMs, messageShare }, async (pair) => {
    await pair.open(sessions);
    say(`agc: ${over}: ${sessions} sessions poll`);
    const polls = await pair.polls();
    const samples: number[] = [];
    for (let minute = 0; minute <= minutes; minute++) {
      if (minute > 0) await sleep(samplePeriodMs, undefined, { signal });
      const { anonymous, rss, heapUsed } = await pair.memory();
      samples.push(anonymous / mebibyte);
      const figures = [anonymous, rss, heapUsed].map((bytes) => (bytes / mebibyte).toFixed(1)).join(', ');
      say(`agc: ${over}: minute ${minute}: ${figures} MiB anonymous, resident, heap`);
    }
    const answered = (await pair.polls()) - polls;
    const fifth = Math.max(1, Math.floor(samples.length / 5));
    const name = `${sessions} sessions, ${over}`;
    return [
      { metric: `${name}: polls in ${minutes} min`, value: answered, unit: '' },
      { metric: `${name}: memory at the start`, value: median(samples.slice(0, fifth)), unit: 'MiB' },
      { metric: `${name}: memory at the end`, value: median(samples.slice(-fifth)), unit: 'MiB' },
      { metric: `${name}: maximum memory`, value: Math.max(...samples), unit: 'MiB' },
    ];
  });
}
