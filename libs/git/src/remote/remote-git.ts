import { isTyped } from '@interlock/api';
import { HARMLESS_DEFECTS, type GitCredentials, type RemoteAccess } from '../process/environment.js';
import { OBJECT_MALFORMED, REDIRECTED } from '../process/failure.js';
import type { CommandResult } from '../process/run.js';
import type { GitCommand, Runner } from '../process/runner.js';
import type { DirectBlobs } from './direct-blobs.js';
import type { DirectPacks } from './direct-packs.js';
import type { DirectRefs } from './direct-refs.js';
import type { DirectRequests } from './direct-requests.js';
import { goesAsGit } from './direct.js';

export type CredentialSource = () => Promise<GitCredentials | undefined>;

const WITHOUT_CHECKS = ['fetch.fsckObjects', 'false'] as const;

/** Runs git processes that may use one remote, and knows in what way it has to be used. */
export class RemoteGit {
  private redirects = false;
  /** Whether objects of the remote have defects of old clients. */
  private hasDefects = false;

  constructor(
    readonly url: string,
    public credentials: CredentialSource,
    private readonly runner: Runner,
    readonly direct: Readonly<{ refs: DirectRefs; blobs: DirectBlobs; packs: DirectPacks }>,
  ) {}

  /** What is needed to use the remote at this moment. @throws what the source of the credentials does. */
  async access(): Promise<RemoteAccess> {
    return { url: this.url, credentials: await this.credentials(), redirects: this.redirects };
  }

  /** Returns whether the remote can be asked by HTTP without git, to the same effect. */
  goesDirect({ isHopeless }: Pick<DirectRequests, 'isHopeless'>): boolean {
    if (this.redirects || isHopeless || this.runner.hasOwnVariables) return false;
    return goesAsGit(this.url, process.env);
  }

  /**
   * @returns the result of a git process that may use the remote. It is repeated once when the remote redirects, and when
   *   its objects have a defect that does no harm: some versions of git do not heed `fetch.fsck.*` in partial clones.
   */
  async run(command: Omit<GitCommand, 'remote'>): Promise<CommandResult> {
    try {
      return await this.follow(command);
    } catch (error) {
      if (this.hasDefects || !isHarmlessDefect(error)) throw error;
      this.hasDefects = true;
      return this.follow(command);
    }
  }

  private async follow({ settings = [], ...command }: Omit<GitCommand, 'remote'>): Promise<CommandResult> {
    const checked = this.hasDefects ? [...settings, WITHOUT_CHECKS] : settings;
    const run = async () => this.runner.run({ ...command, settings: checked, remote: await this.access() });
    try {
      return await run();
    } catch (error) {
      if (this.redirects || !isTyped(error) || error.reason !== REDIRECTED) throw error;
      this.redirects = true;
      return run();
    }
  }
}

function isHarmlessDefect(error: unknown): boolean {
  if (!isTyped(error) || error.reason !== OBJECT_MALFORMED) return false;
  return HARMLESS_DEFECTS.some((defect) => error.message.includes(`: ${defect}: `));
}
