import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Cause } from '../../types.js';

const run = promisify(execFile);
const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All';

/** The response of a server to a definition: the status, and the reason of a refusal. */
interface Verdict {
  readonly status: number;
  readonly causes: readonly Cause[];
}

/** A real API server for CustomResourceDefinitions, which the programs `start` and `stop` of a folder run. */
export class CrdOracle {
  readonly #agent = new Agent({ keepAlive: true, rejectUnauthorized: false });

  constructor(
    readonly folder: string,
    readonly state: string,
    readonly url: string,
  ) {}

  /** Starts the server: `start DIR` keeps its state in a folder and prints its URL. */
  static async start(folder: string): Promise<CrdOracle> {
    const state = await mkdtemp(join(tmpdir(), 'crd-oracle-'));
    const { stdout } = await run(join(folder, 'start'), [state]);
    return new CrdOracle(folder, state, stdout.trim());
  }

  /** Creates a definition from JSON or YAML in a dry run. */
  judge(definition: string): Promise<Verdict> {
    return new Promise((resolve, reject) => {
      const options = {
        method: 'POST',
        agent: this.#agent,
        headers: { 'content-type': 'application/yaml' },
      };
      const sent = request(`${this.url}${path}`, options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const answer = JSON.parse(Buffer.concat(chunks).toString()) as { details?: { causes?: Cause[] } };
          resolve({ status: response.statusCode ?? 0, causes: answer.details?.causes ?? [] });
        });
        response.on('error', reject);
      });
      sent.on('error', reject);
      sent.end(definition);
    });
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    await run(join(this.folder, 'stop'), [this.state]);
    await rm(this.state, { recursive: true });
  }
}
