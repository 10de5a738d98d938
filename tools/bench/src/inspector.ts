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

/** A Chrome DevTools protocol client for a Node.js process that was started with `--inspect`. */
export class Inspector {
  #id = 0;

  readonly #socket: WebSocket;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  /**
   * @param logFile file with the output of the process at its start.
   * @throws Error if the output contains no inspector URL
   */
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

  /** Returns the memory usage of the process after a garbage collection. */
  async memory(): Promise<Memory> {
    await this.#call('HeapProfiler.collectGarbage');
    const { rss, heapUsed } = (await this.evaluate('process.memoryUsage()')) as Memory;
    return { rss, heapUsed };
  }

  /** Evaluates an expression in the process. @returns its value, transferred as JSON */
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
