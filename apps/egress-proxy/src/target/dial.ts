import { isIPv6 } from 'node:net';
import type { Clock } from '@interlock/base';
import { Attempt } from '../relay/attempt.js';
import type { Connection } from '../relay/connection.js';
import { DialTimeout, type Dial } from '../relay/engine.js';

/** Maximum number of addresses of a host that are tried. */
const maxAttempts = 4;
/** Milliseconds until the next address is tried as well, as RFC 8305, section 5, recommends. */
const attemptDelayMs = 250;

export interface DialedTarget {
  readonly connection: Connection;
  readonly address: string;
}

interface Target {
  /** The addresses that the policy permits. */
  readonly addresses: readonly string[];
  readonly port: number;
}

/**
 * Connects to the address that answers first. It tries a bounded number of addresses, and both families in turn. The next address is
 * tried when an attempt fails, and also after a short time without an answer, so that an address that drops packets costs little time.
 *
 * @param whole ends all attempts when it is given up
 * @throws the error of the attempt that failed last
 */
export async function dialFirst(
  dial: Dial,
  clock: Clock,
  { addresses, port }: Target,
  whole: Attempt,
): Promise<DialedTarget> {
  if (whole.isGivenUp) throw new DialTimeout('the connection was not established in time');
  const tried = alternating(addresses).slice(0, maxAttempts);
  const [first = ''] = tried;
  if (tried.length <= 1) return { connection: await dial(first, port, whole), address: first };
  const race = new Race(dial, clock, { addresses: tried, port });
  whole.whenGivenUp(() => race.giveUp());
  try {
    return await race.winner;
  } finally {
    whole.whenGivenUp(undefined);
  }
}

/** Attempts to connect to several addresses. The first connection ends the others. */
class Race {
  /** Rejects when all attempts have failed. */
  readonly winner: Promise<DialedTarget>;
  readonly #dial: Dial;
  readonly #clock: Clock;
  readonly #target: Target;
  readonly #running = new Set<Attempt>();
  #started = 0;
  #isOver = false;
  #timer: { cancel(): void } | undefined;
  #resolve: (target: DialedTarget) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;

  constructor(dial: Dial, clock: Clock, target: Target) {
    this.#dial = dial;
    this.#clock = clock;
    this.#target = target;
    this.winner = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#startNext();
  }

  /** Ends all attempts, and starts no other. */
  giveUp(): void {
    this.#started = this.#target.addresses.length;
    this.#timer?.cancel();
    for (const attempt of this.#running) attempt.giveUp();
  }

  #startNext(): void {
    this.#timer?.cancel();
    const { addresses, port } = this.#target;
    const address = addresses[this.#started];
    if (address === undefined) return;
    this.#started += 1;
    const attempt = new Attempt();
    this.#running.add(attempt);
    if (this.#started < addresses.length) {
      this.#timer = this.#clock.setTimeout(() => this.#startNext(), attemptDelayMs);
    }
    this.#dial(address, port, attempt).then(
      (connection) => this.#onConnected(attempt, { connection, address }),
      (error: unknown) => this.#onFailed(attempt, error),
    );
  }

  #onConnected(attempt: Attempt, target: DialedTarget): void {
    this.#running.delete(attempt);
    /* Two attempts can succeed before the first one is noticed. */
    if (this.#isOver) return target.connection.close();
    this.#isOver = true;
    this.giveUp();
    this.#resolve(target);
  }

  #onFailed(attempt: Attempt, error: unknown): void {
    this.#running.delete(attempt);
    this.#startNext();
    if (this.#running.size === 0) this.#reject(error);
  }
}

/**
 * Returns the addresses so that IPv4 and IPv6 alternate, as in RFC 8305, section 4: a host with many addresses of a family that has no
 * route would otherwise not be tried by the other family.
 */
function alternating(addresses: readonly string[]): readonly string[] {
  if (addresses.length === 1) return addresses;
  const isFirst = (address: string): boolean => isIPv6(address) === isIPv6(addresses[0] ?? '');
  const first = addresses.filter(isFirst);
  const other = addresses.filter((address) => !isFirst(address));
  const pairs = first.flatMap((address, index) => [address, ...other.slice(index, index + 1)]);
  return [...pairs, ...other.slice(first.length)];
}
