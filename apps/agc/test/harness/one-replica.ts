import { Gateway, type GatewayOptions, type Replica } from './gateway.js';
import { SimulatedTime } from './simulated-time.js';

/** A gateway in simulated time with one replica of the AGC, which a test can end and replace. */
export class OneReplica {
  readonly time = new SimulatedTime();
  #gateway: Gateway | undefined;
  #replica: Replica | undefined;
  #replicas = 0;

  /** Starts the gateway and its replica. Returns the gateway. */
  async start(options: Omit<GatewayOptions, 'time'> = {}): Promise<Gateway> {
    this.#gateway = await Gateway.start({ ...options, time: this.time });
    this.replace();
    return this.#gateway;
  }

  /** Ends the replica as SIGKILL does. */
  kill(): void {
    this.#replica?.kill();
  }

  /** Starts the next replica; one that still runs is killed. */
  replace(): void {
    this.kill();
    this.#replica = this.#gateway?.startReplica(`r${this.#replicas++}`);
  }

  async close(): Promise<void> {
    /* A replica that stops waits for the simulated time, which would not advance. */
    this.kill();
    await this.#gateway?.close();
  }
}
