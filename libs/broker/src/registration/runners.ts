import { TypedError } from '@interlock/api';
import { Fields } from '../wire/fields.js';
import { isRefusal } from '../wire/refusal.js';
import type { GithubApi } from './github-api.js';

/** A runner to register. */
interface NewRunner {
  name: string;
  labels: readonly string[];
  runnerGroupId: number;
}

/** A runner that is registered for one job. `jitConfig` is a secret. */
interface RegisteredRunner {
  runnerId: string;
  jitConfig: string;
}

/** `removed`: the runner no longer exists. `busy`: it has a job. */
export type Removal = 'removed' | 'busy';

/** The self-hosted runners of an organization, a repository or an enterprise. */
export class Runners {
  readonly #api: GithubApi;

  constructor(api: GithubApi) {
    this.#api = api;
  }

  /** Registers a runner for one job. @throws Refusal `Conflict` when its name is taken */
  async register({ name, labels, runnerGroupId }: NewRunner, signal: AbortSignal): Promise<RegisteredRunner> {
    const value = await this.#api.read(
      {
        endpoint: 'register',
        priority: 'register',
        what: `register runner ${name}`,
        method: 'POST',
        path: `${this.#api.target.path}/actions/runners/generate-jitconfig`,
        body: { name, runner_group_id: runnerGroupId, labels, work_folder: '_work' },
      },
      signal,
    );
    const fields = new Fields(value);
    const runnerId = fields.fields('runner').id('id');
    const jitConfig = fields.text('encoded_jit_config');
    if (runnerId !== undefined && jitConfig !== undefined) return { runnerId, jitConfig };
    throw new TypedError(
      'Transient',
      `the answer to the registration of runner ${name} lacks its id or its config`,
    );
  }

  /** Returns the id of the runner with exactly that name. */
  async findByName(name: string, signal: AbortSignal): Promise<string | undefined> {
    const path = `${this.#api.target.path}/actions/runners?per_page=100&name=${encodeURIComponent(name)}`;
    const what = `find runner ${name}`;
    const value = await this.#api.read(
      { endpoint: 'runners', priority: 'register', what, method: 'GET', path },
      signal,
    );
    for (const item of new Fields(value).list('runners')) {
      const runner = new Fields(item);
      if (runner.text('name')?.toLowerCase() === name.toLowerCase()) return runner.id('id');
    }
    return undefined;
  }

  /** Removes a runner; a missing one is not an error. @throws Refusal */
  async remove(runnerId: string, signal: AbortSignal): Promise<Removal> {
    try {
      await this.#api.send(
        {
          endpoint: 'runners',
          priority: 'register',
          what: `remove runner ${runnerId}`,
          method: 'DELETE',
          path: `${this.#api.target.path}/actions/runners/${encodeURIComponent(runnerId)}`,
        },
        signal,
      );
    } catch (error) {
      if (isRefusal(error) && error.status === 404) return 'removed';
      if (isRefusal(error) && error.status === 422) return 'busy';
      throw error;
    }
    return 'removed';
  }
}
