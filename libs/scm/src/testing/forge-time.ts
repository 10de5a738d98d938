import { FakeClock } from '@interlock/base/testing';

/** The time of a forge and of the plugin; each test has its own, and it never goes back. */
export class ForgeTime {
  clock = new FakeClock();
  /** Milliseconds by which the forge's clock runs ahead of the plugin's. */
  ahead = 0;

  /** The clock of the forge. */
  readonly forge = { now: (): number => this.clock.now() + this.ahead };

  /** Prepares a test. */
  next(): void {
    this.clock = new FakeClock(this.clock.now());
    this.ahead = 0;
  }
}
