import { Agent, type Dispatcher } from 'undici';

/** A request that a test holds back. */
export interface Held {
  /** Resolves when the request arrives. */
  readonly arrived: Promise<void>;
  /** Releases this request and all later ones. */
  release(): void;
}

interface Hold {
  matches: (method: string, path: string) => boolean;
  arrive: () => void;
  released: Promise<void>;
}

/**
 * Connections to a server on which a test can hold requests back, so that it controls what happens before a request.
 */
export class Gate {
  readonly #agent = new Agent();
  readonly #holds = new Set<Hold>();

  readonly dispatcher: Dispatcher = this.#agent.compose((dispatch) => (options, handler) => {
    const hold = [...this.#holds].find(({ matches }) => matches(options.method, options.path));
    if (hold === undefined) return dispatch(options, handler);
    hold.arrive();
    void hold.released.then(() => dispatch(options, handler));
    return true;
  });

  /** Holds requests with this method to paths with this ending. */
  hold(method: string, pathEnd: string): Held {
    const arrived = signal();
    const released = signal();
    const hold: Hold = {
      matches: (asked, path) => asked === method && path.endsWith(pathEnd),
      arrive: arrived.send,
      released: released.came,
    };
    this.#holds.add(hold);
    return {
      arrived: arrived.came,
      release: () => {
        this.#holds.delete(hold);
        released.send();
      },
    };
  }
}

/** Returns a promise of an event, and the function that triggers it. */
export function signal(): { came: Promise<void>; send: () => void } {
  let send = (): void => undefined;
  const came = new Promise<void>((resolve) => (send = resolve));
  return { came, send };
}
