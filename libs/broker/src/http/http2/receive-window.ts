/** The bytes that a server may send on a connection before this client has read some: as many as on 16 streams. */
export const connectionWindow = 16 * 1024 * 1024;

/**
 * The window of a connection for received bytes (RFC 9113, 5.2). It never limits what is held: calls take each frame at once, and each
 * has its own limit.
 */
export class ReceiveWindow {
  #received = 0;

  /** Counts received bytes. Returns how many more the server may send: 0 until half of the window is used. */
  receive(bytes: number): number {
    this.#received += bytes;
    if (this.#received < connectionWindow / 2) return 0;
    const increment = this.#received;
    this.#received = 0;
    return increment;
  }
}
