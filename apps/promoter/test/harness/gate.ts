import { Agent, type Dispatcher } from 'undici';

/** A request that a test holds back. */
export interface Held {
  /** Resolves when the request is there. */
  readonly arrived: Promise<void>;
  /** Lets it go, and all that follow. */
  release(): void;
}

interface Hold {
  matches: (method: string, path: string) => boolean;
  arrive: () => void;
  released: Promise<void>;
}

/** Connections to a server on which a test can hold requests back: the moment before a request is then as long as it needs. */
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

  /** Holds requests with this method, to paths that end like this. */
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

/** Returns something that happens once, and what makes it happen. */
export function signal(): { came: Promise<void>; send: () => void } {
  let send = (): void => undefined;
  const came = new Promise<void>((resolve) => (send = resolve));
  return { came, send };
}
