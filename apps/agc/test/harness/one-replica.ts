import { afterAll, beforeAll } from '@jest/globals';
import { Gateway, type GatewayOptions, type Replica } from './gateway.js';
import { SimulatedTime } from './simulated-time.js';

/** A gateway in simulated time with one replica of the AGC, which a test can end and replace. */
export class OneReplica {
  readonly time = new SimulatedTime();
  #gateway: Gateway | undefined;
  #replica: Replica | undefined;
  #replicas = 0;

  /** Starts the gateway and its replica before the tests of the calling file, and closes them after the tests. */
  constructor(options: Omit<GatewayOptions, 'time'> = {}) {
    beforeAll(async () => {
      this.#gateway = await Gateway.start({ ...options, time: this.time });
      this.replace();
    });
    afterAll(async () => {
      /* A replica that stops waits for the simulated time, which would not advance. */
      this.kill();
      await this.#gateway?.close();
    });
  }

  get gateway(): Gateway {
    if (this.#gateway === undefined) throw new Error('the gateway is not started yet');
    return this.#gateway;
  }

  /** Ends the replica as SIGKILL does. */
  kill(): void {
    this.#replica?.kill();
  }

  /** Starts the next replica; one that still runs is killed. */
  replace(): void {
    this.kill();
    this.#replica = this.gateway.startReplica(`r${this.#replicas++}`);
  }
}
