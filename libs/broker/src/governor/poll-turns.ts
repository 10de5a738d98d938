import { LinkedList, ListElement } from '@interlock/base';

/** Runs a function once, in the next iteration of the event loop. */
type ScheduleTurn = (turn: () => void) => void;

/** What waits for its turn. It is in the list itself, because there are thousands of polls. */
export abstract class Turn extends ListElement<Turn> {
  abstract start(): void;
}

/** The number of polls in one turn: they take about a millisecond, which is how long an answer may wait for them. */
const maxBatch = 64;
/** The number of consecutive turns that answers may take from waiting polls. */
const maxBusyTurns = 8;

/** Returns how many polls start in a turn: none while answers arrive, unless they have taken too many turns. */
export function batchSize(waiting: number, busyTurns: number): number {
  return busyTurns > 0 && busyTurns <= maxBusyTurns ? 0 : Math.min(waiting, maxBatch);
}

/**
 * Holds back polls while the event loop is busy with answers. In a burst of answers, each runner polls again after its answer: without
 * this order, the next answer would wait for that poll. No message is lost, because the service keeps it until the runner polls.
 */
export class PollTurns {
  readonly #schedule: ScheduleTurn;
  readonly #waiting = new LinkedList<Turn>();
  #isBusy = false;
  #busyTurns = 0;

  /** @param schedule by default the check phase, which follows the answers that have arrived */
  constructor(schedule: ScheduleTurn = setImmediate) {
    this.#schedule = schedule;
  }

  /** Starts what waits after everything that was added before, within a few iterations of the event loop. */
  add(turn: Turn): void {
    this.#waiting.add(turn);
    if (this.#waiting.size === 1) this.#schedule(this.#turn);
  }

  /** Records that an answer arrived in this iteration of the event loop. */
  markBusy(): void {
    this.#isBusy = true;
  }

  readonly #turn = (): void => {
    this.#busyTurns = this.#isBusy ? this.#busyTurns + 1 : 0;
    this.#isBusy = false;
    const count = batchSize(this.#waiting.size, this.#busyTurns);
    if (count > 0) this.#busyTurns = 0;
    for (let started = 0; started < count; started++) this.#startFirst();
    if (this.#waiting.size > 0) this.#schedule(this.#turn);
  };

  #startFirst(): void {
    const { first } = this.#waiting;
    if (first === undefined) return;
    this.#waiting.remove(first);
    first.start();
  }
}
