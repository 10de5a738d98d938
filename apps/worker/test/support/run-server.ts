import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A call of a worker to its services. */
interface WorkerCall {
  path: string;
  authorization: string | undefined;
  body: Record<string, unknown>;
}

const waitMs = 20_000;

/** Run service and results service of one test. */
export class RunServer {
  readonly calls: WorkerCall[] = [];
  readonly #server = createServer((request, response) => {
    void readText(request).then((text) => {
      const { authorization } = request.headers;
      const body = JSON.parse(text) as Record<string, unknown>;
      this.calls.push({ path: request.url ?? '', authorization, body });
      response.writeHead(204).end();
      for (const listener of this.#listeners) listener();
    });
  });
  readonly #listeners = new Set<() => void>();

  /** Starts to serve on a free port. */
  async start(): Promise<void> {
    await new Promise<void>((resolve) => void this.#server.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Returns the first call to a path about a job. Throws after twenty seconds. */
  async call(path: string, jobId: string): Promise<WorkerCall> {
    const find = (): WorkerCall | undefined =>
      this.calls.find((call) => call.path === path && call.body['jobId'] === jobId);
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => settle(), waitMs);
      const settle = (): void => {
        const found = find();
        clearTimeout(late);
        this.#listeners.delete(check);
        if (found === undefined) reject(new Error(`no call to ${path} about ${jobId} came`));
        else resolve(found);
      };
      const check = (): void => {
        if (find() !== undefined) settle();
      };
      this.#listeners.add(check);
      check();
    });
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
  return text;
}
