import type { FastifyInstance } from 'fastify';

/**
 * A health check. Anything but `true` is a failure, including a rejection and a wait of more than a second; a text
 * states the reason.
 */
export type Check = () => boolean | string | Promise<boolean | string>;

const checkTimeoutMs = 1_000;

/** Named checks behind one probe. */
export class Probe {
  readonly #checks = new Map<string, Check>();

  readonly #timeoutMs: number;

  constructor(timeoutMs = checkTimeoutMs) {
    this.#timeoutMs = timeoutMs;
  }

  add(name: string, check: Check): void {
    this.#checks.set(name, check);
  }

  /** Returns whether all checks pass, with a line for each in the `?verbose` format of the Kubernetes API server. */
  async run(): Promise<{ ok: boolean; report: string }> {
    const results = await Promise.all(
      [...this.#checks].map(async ([name, check]) => ({
        name,
        result: await resultOf(check, this.#timeoutMs),
      })),
    );
    const ok = results.every(({ result }) => result === true);
    const lines = results.map(({ name, result }) => lineOf(name, result));
    return { ok, report: [...lines, ok ? 'check passed' : 'check failed', ''].join('\n') };
  }

  /** Serves the probe: 200 or 503 (which a kubelet counts as failed), with the report as text. */
  serve(server: FastifyInstance, path: string): void {
    server.get(path, async (_request, reply) => {
      const { ok, report } = await this.run();
      return reply
        .code(ok ? 200 : 503)
        .type('text/plain; charset=utf-8')
        .send(report);
    });
  }
}

function lineOf(name: string, result: boolean | string): string {
  if (result === true) return `[+]${name} ok`;
  return result === false ? `[-]${name} failed` : `[-]${name} failed: ${result}`;
}

async function resultOf(check: Check, timeoutMs: number): Promise<boolean | string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), timeoutMs);
  });
  try {
    return await Promise.race([check(), late]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
