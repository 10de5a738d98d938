import { readFile } from 'node:fs/promises';
import { WebSocket } from 'undici';

/** Bytes. */
export interface Memory {
  rss: number;
  heapUsed: number;
}

interface Answer {
  id?: number;
  error?: { message: string };
  result?: { result?: { value?: unknown } };
}

/** Speaks the Chrome DevTools protocol with a Node.js process that was started with `--inspect`. */
export class Inspector {
  #id = 0;

  readonly #socket: WebSocket;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  /** @param logFile where the process writes what it says at the start. @throws Error when it said nothing of an inspector. */
  static async connect(logFile: string): Promise<Inspector> {
    const [url] = /ws:\/\/\S+/.exec(await readFile(logFile, 'utf8')) ?? [];
    if (url === undefined) throw new Error('the process has no inspector');
    const socket = new WebSocket(url);
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve, { once: true });
      socket.addEventListener('error', () => reject(new Error('the inspector does not answer')), {
        once: true,
      });
    });
    return new Inspector(socket);
  }

  /** Returns what the process holds after a garbage collection. */
  async memory(): Promise<Memory> {
    await this.#call('HeapProfiler.collectGarbage');
    const { rss, heapUsed } = (await this.evaluate('process.memoryUsage()')) as Memory;
    return { rss, heapUsed };
  }

  /** Runs an expression in the process. @returns its value as JSON carries it. */
  async evaluate(expression: string): Promise<unknown> {
    const asJson = `JSON.stringify((${expression}) ?? null)`;
    const { result } = await this.#call('Runtime.evaluate', { expression: asJson });
    return JSON.parse(String(result?.result?.value));
  }

  close(): void {
    this.#socket.close();
  }

  #call(method: string, params: object = {}): Promise<Answer> {
    const id = ++this.#id;
    return new Promise((resolve, reject) => {
      const listener = ({ data }: { data: unknown }): void => {
        const answer = JSON.parse(String(data)) as Answer;
        if (answer.id !== id) return;
        this.#socket.removeEventListener('message', listener);
        if (answer.error) reject(new Error(answer.error.message));
        else resolve(answer);
      };
      this.#socket.addEventListener('message', listener);
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }
}
