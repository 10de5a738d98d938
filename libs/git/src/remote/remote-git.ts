import { isTyped } from '@interlock/api';
import { harmlessDefects, type GitCredentials, type RemoteAccess } from '../process/environment.js';
import { objectMalformed, redirected } from '../process/failure.js';
import type { CommandResult } from '../process/run.js';
import type { GitCommand, Runner } from '../process/runner.js';
import type { DirectBlobs } from './direct-blobs.js';
import type { DirectPacks } from './direct-packs.js';
import type { DirectRefs } from './direct-refs.js';
import type { DirectRequests } from './direct-requests.js';
import { goesAsGit } from './direct.js';

export type CredentialSource = () => Promise<GitCredentials | undefined>;

const withoutChecks = ['fetch.fsckObjects', 'false'] as const;

/** Runs git processes that may use one remote, with the settings that it requires. */
export class RemoteGit {
  #redirects = false;
  /** Whether objects of the remote have defects of old clients. */
  #hasDefects = false;

  readonly #runner: Runner;

  constructor(
    readonly url: string,
    public credentials: CredentialSource,
    runner: Runner,
    readonly direct: Readonly<{ refs: DirectRefs; blobs: DirectBlobs; packs: DirectPacks }>,
  ) {
    this.#runner = runner;
  }

  /** Returns the current access to the remote. @throws the errors of the source of the credentials. */
  async access(): Promise<RemoteAccess> {
    return { url: this.url, credentials: await this.credentials(), redirects: this.#redirects };
  }

  /** Returns whether requests by HTTP without git are equivalent for this remote. */
  goesDirect({ isHopeless }: Pick<DirectRequests, 'isHopeless'>): boolean {
    if (this.#redirects || isHopeless || this.#runner.hasOwnVariables) return false;
    return goesAsGit(this.url, process.env);
  }

  /**
   * Returns the result of a git process that may use the remote. It is repeated once when the remote redirects, and when its
   * objects have a harmless defect: some versions of git ignore `fetch.fsck.*` in partial clones.
   */
  async run(command: Omit<GitCommand, 'remote'>): Promise<CommandResult> {
    try {
      return await this.#follow(command);
    } catch (error) {
      if (this.#hasDefects || !isHarmlessDefect(error)) throw error;
      this.#hasDefects = true;
      return this.#follow(command);
    }
  }

  async #follow({ settings = [], ...command }: Omit<GitCommand, 'remote'>): Promise<CommandResult> {
    const checked = this.#hasDefects ? [...settings, withoutChecks] : settings;
    const run = async (redirects: boolean) => {
      const remote = { ...(await this.access()), redirects };
      return this.#runner.run({ ...command, settings: checked, remote });
    };
    try {
      return await run(this.#redirects);
    } catch (error) {
      if (this.#redirects || !isTyped(error) || error.reason !== redirected) throw error;
      const result = await run(true);
      /* A redirect that does not lead to a repository, such as to a page during maintenance, is temporary. */
      this.#redirects = true;
      return result;
    }
  }
}

function isHarmlessDefect(error: unknown): boolean {
  if (!isTyped(error) || error.reason !== objectMalformed) return false;
  return harmlessDefects.some((defect) => error.message.includes(`: ${defect}: `));
}
