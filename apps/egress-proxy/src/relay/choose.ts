import type { Clock, Logger } from '@interlock/base';
import { UsageError } from '@interlock/service/flags';
import type { RelayEngine } from './engine.js';
import { handlesEngine } from './handles/handles-engine.js';
import { testEngine } from './self-test.js';
import { socketsEngine } from './sockets/sockets-engine.js';

export const relayChoices = ['auto', 'sockets', 'handles'] as const;
export type RelayChoice = (typeof relayChoices)[number];

/** Milliseconds for the self-test: ten times its duration with a tenth of a CPU. */
const testMs = 10_000;

interface ChooseOptions {
  choice: RelayChoice;
  /** Whether clients can use TLS. */
  isTls: boolean;
  clock: Clock;
  log: Logger;
  /** Creates the engine that is tried first. */
  handles?: (() => RelayEngine) | undefined;
}

/**
 * Returns the engine to relay with. With `auto`, it is the faster engine if its self-test passes on this version of Node.js.
 *
 * @throws UsageError when `handles` is requested and cannot be used
 */
export async function chooseEngine(options: ChooseOptions): Promise<RelayEngine> {
  const { choice, isTls, clock, log, handles = handlesEngine } = options;
  if (choice === 'sockets') return socketsEngine;
  const test = new AbortController();
  const deadline = clock.setTimeout(() => test.abort(), testMs);
  try {
    const engine = handles();
    await testEngine(engine, test.signal);
    /* Loaded on demand, because node:tls takes memory. */
    if (isTls) await (await import('../tls/self-test.js')).testHandOver(engine, test.signal);
    return engine;
  } catch (error) {
    const node = process.version;
    if (choice === 'handles') {
      throw new UsageError(
        `--relay=handles cannot be used with Node.js ${node}: ${(error as Error).message}; use --relay=sockets`,
      );
    }
    log.warn(
      { error, node },
      'the engine "handles" cannot be used with this version of Node.js; using "sockets"',
    );
    return socketsEngine;
  } finally {
    deadline.cancel();
  }
}
