import { isTyped, TypedError } from '@interlock/api';
import { isProblem } from '@interlock/base';
import { limitUsedUp } from '../governor/governors.js';
import { Fields } from '../wire/fields.js';
import { isRefusal } from '../wire/refusal.js';
import type { GithubApi } from './github-api.js';
import { parseGithubUrl } from './github-url.js';

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

/** A runner to remove. */
interface RecordedRunner {
  name: string;
  /** Absent if it is not known whether the runner was registered. */
  runnerId?: string | undefined;
  /** The owner at which it was registered; by default, the present one. */
  githubUrl?: string | undefined;
}

/** `removed`: the runner no longer exists. `busy`: it has a job. */
export type Removal = 'removed' | 'busy';

const maxRunnerPages = 20;

/** The self-hosted runners of an organization, a repository or an enterprise. */
export class Runners {
  readonly #api: GithubApi;

  constructor(api: GithubApi) {
    this.#api = api;
  }

  /** URL of the owner at which runners are registered. */
  get githubUrl(): string {
    return this.#api.target.webUrl;
  }

  /** Registers a runner for one job. @throws Refusal `Conflict` when its name is taken */
  async register(runner: NewRunner, signal: AbortSignal): Promise<RegisteredRunner> {
    const { name, labels, runnerGroupId } = runner;
    const { path } = this.#api.target;
    const call = {
      endpoint: 'register',
      priority: 'register',
      what: `register runner ${name}`,
      method: 'POST',
      path: `${path}/actions/runners/generate-jitconfig`,
      body: { name, runner_group_id: runnerGroupId, labels, work_folder: '_work' },
    } as const;
    const value = await this.#api
      .read(call, signal)
      .catch((error: unknown) => Promise.reject(explained(error, path, runnerGroupId)));
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
  async #findByName(name: string, signal: AbortSignal): Promise<string | undefined> {
    const path = `${this.#api.target.path}/actions/runners?name=${encodeURIComponent(name)}&`;
    const what = `find runner ${name}`;
    const call = { endpoint: 'runners', priority: 'register', what, method: 'GET', path } as const;
    /* An old server ignores the name, and lists all runners. */
    for (const runner of await this.#api.list(call, 'runners', maxRunnerPages, signal)) {
      if (runner.text('name')?.toLowerCase() === name.toLowerCase()) return runner.id('id');
    }
    return undefined;
  }

  /**
   * Removes a runner from the owner at which it was registered; a missing one is not an error. It is `inaccessible` if gitHubURL now
   * names another host, for which the credential is not meant and at which an id means another runner, or another owner, of which the
   * App may not remove runners. GitHub itself removes such a runner, which no longer polls.
   *
   * @throws Refusal
   */
  async remove(runner: RecordedRunner, signal: AbortSignal): Promise<Removal | 'inaccessible'> {
    const owner = this.#at(runner.githubUrl ?? this.githubUrl);
    if (owner === undefined) return 'inaccessible';
    try {
      const id = runner.runnerId ?? (await owner.#findByName(runner.name, signal));
      return id === undefined ? 'removed' : await owner.#remove(id, signal);
    } catch (error) {
      if (owner !== this && isRefusal(error, 'AccessDenied', 'NotFound')) return 'inaccessible';
      throw error;
    }
  }

  /** Returns the runners of an owner at this host. */
  #at(githubUrl: string): Runners | undefined {
    const { target } = this.#api;
    if (githubUrl === target.webUrl) return this;
    const earlier = parseGithubUrl(githubUrl, target.apiUrl);
    if (isProblem(earlier) || new URL(earlier.webUrl).origin !== new URL(target.webUrl).origin)
      return undefined;
    return new Runners(this.#api.withTarget(earlier));
  }

  async #remove(runnerId: string, signal: AbortSignal): Promise<Removal> {
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

/** Returns the error with its possible causes, if GitHub does not find the owner of the runners or the group, or refuses the values. */
function explained(error: unknown, path: string, runnerGroupId: number): unknown {
  if (!isRefusal(error) || (error.status !== 404 && error.status !== 422)) return error;
  const checks = `check that the GitHub App is installed for ${path.slice(1)} and may write its self-hosted runners, and that runner group ${runnerGroupId} is available to it`;
  return error.as(error.type, `${error.message}; ${checks}`, error.reason);
}

/** The reasons of errors before a call is sent. */
const unsentReasons: ReadonlySet<string> = new Set(['ConnectFailed', 'CredentialUnavailable', limitUsedUp]);

/**
 * Returns whether a runner may exist although its registration failed: the answer was lost, GitHub failed, or the name is taken,
 * perhaps by an earlier attempt of a proxy.
 */
export function mayBeRegistered(error: unknown): boolean {
  if (isRefusal(error))
    return error.status < 300 || error.status === 408 || error.status === 409 || error.status >= 500;
  return !isTyped(error) || !unsentReasons.has(error.reason);
}
