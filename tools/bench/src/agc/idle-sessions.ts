import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchmarkContext, Measurement } from '../benchmark.js';
import { cpuSecondsOf } from '../proxy/process-usage.js';
import { quantile } from '../statistics.js';
import { Figures, type Client } from './figures.js';
import { hasGo } from './go-client.js';
import { protocolNames, protocols, type Protocol } from './protocols.js';
import { SessionPair } from './session-pair.js';

const rounds = 5;
/** Sessions before the measurement, so that the memory of code that runs for the first time is not counted. */
const firstSessions = 25;
const sizes = [250, 1_000, 5_000];
const burst = 5_000;
const samples = 1_000;
/** Answers before the measurement of answers, so that the code for them is compiled, as in an agc that has run for a while. */
const warmUp = 1_000;
const allSessions = burst + samples + warmUp;
const pauseMs = 5;
const settleMs = 500;
const handleTimeoutMs = 60_000;
const nanosecondsInMs = 1e6;

/** Measures waiting sessions, single answers and bursts of answers, in alternation with other clients. */
export async function measureSessions({ say, signal }: BenchmarkContext): Promise<Measurement[]> {
  const clients: Client[] = ['broker', 'node'];
  if (hasGo()) clients.push('go');
  else say('agc: a Go toolchain is not installed: the client in Go is not measured');
  const figures = new Figures();
  for (let round = 0; round < rounds; round++) {
    for (const protocol of protocols) {
      for (const client of round % 2 === 0 ? clients : [...clients].reverse()) {
        signal.throwIfAborted();
        say(`agc: ${protocolNames[protocol]}, ${client}, round ${round + 1} of ${rounds}`);
        await SessionPair.use({ protocol, client, signal }, (pair) =>
          measurePair(pair, protocol, client, figures),
        );
      }
    }
  }
  return figures.measurements();
}

async function measurePair(
  pair: SessionPair,
  protocol: Protocol,
  client: Client,
  figures: Figures,
): Promise<void> {
  const over = protocolNames[protocol];
  await pair.open(firstSessions);
  const before = await settledMemory(pair);
  for (const size of sizes) {
    await pair.open(size);
    const { anonymous } = await settledMemory(pair);
    const each = (anonymous - before.anonymous) / (size - firstSessions) / 1024;
    figures.add(`memory of a session, ${over}, ${size} of them`, 'KiB', client, each);
  }
  await pair.open(allSessions);
  await sleep(settleMs);
  await answerAll(pair, burst + samples, allSessions);
  await sleep(settleMs);
  const delays = await delaysOf(pair);
  figures.add(`answer to handler, ${over}, p50`, 'ms', client, quantile(delays, 0.5));
  figures.add(`answer to handler, ${over}, p99`, 'ms', client, quantile(delays, 0.99));
  await sleep(settleMs);
  const { seconds, p99, serverSeconds, cpuSeconds } = await burstOf(pair);
  figures.add(`burst of ${burst} answers, ${over}`, 's', client, seconds);
  figures.add(`burst of ${burst} answers, ${over}, p99 of an answer`, 's', client, p99);
  figures.add(`burst of ${burst} answers, ${over}, of it the service writes`, 's', client, serverSeconds);
  figures.add(`burst of ${burst} answers, ${over}, CPU with the next polls`, 's', client, cpuSeconds);
}

/** Reads the memory after two garbage collections: the second reading includes what the first collection released. */
async function settledMemory(pair: SessionPair): ReturnType<SessionPair['memory']> {
  await sleep(settleMs);
  await pair.memory();
  return pair.memory();
}

/** Answers single runners. Returns the delay of each answer. */
async function delaysOf({ server, client }: SessionPair): Promise<number[]> {
  const runners = Array.from({ length: samples }, (_one, index) => burst + index);
  const handling = client.call(
    'handled',
    { count: samples, timeoutMs: handleTimeoutMs },
    handleTimeoutMs * 2,
  );
  const sent = await server.call('answerEach', { runners, pauseMs }, handleTimeoutMs);
  return delays(sent, burst, await handling);
}

interface Burst {
  /** From the first write of the service to the last call of the handler. */
  seconds: number;
  /** Of the delays of the answers, in seconds. */
  p99: number;
  /** The writes of the service. */
  serverSeconds: number;
  cpuSeconds: number;
}

async function burstOf(pair: SessionPair): Promise<Burst> {
  const cpu = cpuSecondsOf(pair.client.pid);
  const { sent, endedAt, handled } = await answerAll(pair, 0, burst);
  const last = Math.max(...handled.map(([, at]) => at));
  const seconds = (to: number): number => (to - (sent[0] ?? 0)) / nanosecondsInMs / 1000;
  return {
    seconds: seconds(last),
    p99: quantile(delays(sent, 0, handled), 0.99) / 1000,
    serverSeconds: seconds(endedAt),
    cpuSeconds: cpuSecondsOf(pair.client.pid) - cpu,
  };
}

interface Answered {
  /** The time of each answer, in nanoseconds. */
  sent: readonly number[];
  /** The time at which the service had written all answers, in nanoseconds. */
  endedAt: number;
  /** The time at which each answer reached the handler, in nanoseconds. */
  handled: readonly [runner: number, at: number][];
}

/** Answers runners at once, and waits until all of them poll again. */
async function answerAll({ server, client }: SessionPair, from: number, to: number): Promise<Answered> {
  const count = to - from;
  const handling = client.call('handled', { count, timeoutMs: handleTimeoutMs }, handleTimeoutMs * 2);
  const { sent, endedAt } = await server.call('answerAll', { from, to }, handleTimeoutMs);
  const handled = await handling;
  await server.call('held', { count: allSessions, timeoutMs: handleTimeoutMs }, handleTimeoutMs * 2);
  return { sent, endedAt, handled };
}

/**
 * Returns the milliseconds from the write of each answer by the service until it reached the handler.
 *
 * @param first the runner of the first answer; the next answer is for the next runner
 */
function delays(
  sent: readonly number[],
  first: number,
  handled: readonly [runner: number, at: number][],
): number[] {
  const handledAt = new Map(handled);
  return sent.map((from, index) => {
    const at = handledAt.get(first + index);
    if (at === undefined) throw new Error(`runner ${first + index} was not answered`);
    return (at - from) / nanosecondsInMs;
  });
}
