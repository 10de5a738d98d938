import { apiVersionOf, CommitStatus, isTyped, labels } from '@interlock/api';
import { readRefs } from '@interlock/forge';
import { childName, type Client } from '@interlock/kube';
import type { LocalRepository } from '../git.js';
import { drySHAOf } from '../repository/hydrated.js';

export const healthKey = 'argocd-health';

interface HealthReporterOptions {
  client: Client;
  repository: LocalRepository;
  namespace: string;
  gitRepository: string;
  branches: readonly string[];
  /** Duration of a rollout in milliseconds. */
  rolloutMs: number;
}

/**
 * Simulates the clusters of the environments. When an environment branch changes, it "rolls out" the commit and reports
 * the progress as a CommitStatus, as the integrations of Argo CD and Flux do.
 */
export class HealthReporter {
  readonly #reported = new Map<string, string>();
  readonly #failing = new Set<string>();
  readonly #bad = new Set<string>();

  readonly #options: HealthReporterOptions;

  constructor(options: HealthReporterOptions) {
    this.#options = options;
  }

  /** Polls the branches until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#look(signal).catch((error: unknown) => {
        /* A report that failed is repeated after the next poll. */
        if (!isTyped(error, 'Transient')) throw error;
      });
      await wait(this.#options.rolloutMs, signal);
    }
  }

  /** Makes rollouts of this branch fail, or succeed again. */
  setFailing(branch: string, fails: boolean): void {
    if (fails) this.#failing.add(branch);
    else this.#failing.delete(branch);
    this.#reported.delete(branch);
  }

  /** Makes rollouts of commits that were hydrated from a dry commit fail on this branch. */
  failOn(branch: string, drySHA: string): void {
    this.#bad.add(`${branch} ${drySHA}`);
  }

  async #look(signal: AbortSignal): Promise<void> {
    const refs = readRefs(this.#options.repository.path, ['refs/heads/']);
    for (const branch of this.#options.branches) {
      const sha = refs.get(`refs/heads/${branch}`);
      if (sha === undefined || this.#reported.get(branch) === sha) continue;
      await this.#report(branch, sha, 'in_progress', 'rolling out');
      await wait(this.#options.rolloutMs, signal);
      const drySHA = await drySHAOf(this.#options.repository, sha);
      const failed = this.#failing.has(branch) || this.#bad.has(`${branch} ${drySHA ?? ''}`);
      await this.#report(
        branch,
        sha,
        failed ? 'failure' : 'success',
        failed ? 'degraded' : 'healthy and synced',
      );
      this.#reported.set(branch, sha);
    }
  }

  async #report(
    branch: string,
    sha: string,
    phase: CommitStatus['spec']['phase'],
    description: string,
  ): Promise<void> {
    const { client, namespace, gitRepository } = this.#options;
    await client.apply(
      CommitStatus,
      {
        apiVersion: apiVersionOf(CommitStatus),
        kind: CommitStatus.kind,
        metadata: {
          name: childName(gitRepository, branch, healthKey),
          namespace,
          labels: { [labels.commitStatusKey]: healthKey },
        },
        spec: { repoRef: { name: gitRepository }, sha, name: `${healthKey}/${branch}`, description, phase },
      },
      { fieldManager: 'health-reporter' },
    );
  }
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}
