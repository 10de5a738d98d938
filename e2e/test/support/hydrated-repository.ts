import { hydratorMetadataFile, hydratorNotesRef } from '@interlock/git';
import { commitFiles, initBare, type LocalRepository } from '@interlock/stack';

const minuteMs = 60_000;
const start = Date.UTC(2026, 0, 5, 8);
const identity = {
  GIT_AUTHOR_NAME: 'Promoter',
  GIT_AUTHOR_EMAIL: 'promoter@example.com',
  GIT_COMMITTER_NAME: 'Promoter',
  GIT_COMMITTER_EMAIL: 'promoter@example.com',
};

export const proposedBranchOf = (branch: string): string => `${branch}-next`;

/** Creates repositories as a hydrator and a promoter do. Each commit is a minute after the previous one. */
export class HydratedRepository {
  #time = start;

  private constructor(readonly local: LocalRepository) {}

  /** Returns an empty bare repository. */
  static async create(path: string): Promise<HydratedRepository> {
    return new HydratedRepository(await initBare(path, 'main'));
  }

  /** Opens an existing repository. */
  static open(local: LocalRepository): HydratedRepository {
    return new HydratedRepository(local);
  }

  /** Commits to the dry branch. @returns the dry commit. */
  commitDry(message: string): Promise<string> {
    const files = new Map([['values.yaml', `message: ${message}\n`]]);
    return commitFiles(this.local, { branch: 'main', message, files, time: this.#tick() });
  }

  /**
   * Commits the hydrated files of a dry commit to the proposed branch of an environment. @returns the hydrated commit
   */
  async hydrate(environment: string, drySHA: string, manifest: string): Promise<string> {
    const subject = await this.local.git(['show', '-s', '--format=%s', drySHA]);
    const files = new Map([
      ['manifest.yaml', `${manifest}\n`],
      [hydratorMetadataFile, `${JSON.stringify({ drySha: drySHA, subject })}\n`],
    ]);
    const time = this.#tick();
    return commitFiles(this.local, { branch: proposedBranchOf(environment), message: subject, files, time });
  }

  /** Records in a note that a hydrated commit also represents this dry commit, because hydration changed nothing. */
  async note(hydrated: string, drySHA: string): Promise<void> {
    const message = JSON.stringify({ drySha: drySHA });
    await this.#commit(['notes', `--ref=${hydratorNotesRef}`, 'add', '-f', '-m', message, hydrated]);
  }

  /** Promotes the proposed commit to the environment branch: first directly, later with a merge commit. */
  promote(environment: string, message = `Promote to ${environment}`): Promise<void> {
    return this.#promote(environment, message, true);
  }

  /** Promotes the proposed commit without making it a parent of the new commit. */
  squash(environment: string): Promise<void> {
    return this.#promote(environment, `Promote to ${environment} (#1)`, false);
  }

  async #promote(environment: string, message: string, merge: boolean): Promise<void> {
    const proposed = await this.local.git(['rev-parse', proposedBranchOf(environment)]);
    const active = await this.local.resolve(`refs/heads/${environment}`);
    const tip =
      active === undefined
        ? proposed
        : await this.#commit([
            ...['commit-tree', `${proposed}^{tree}`, '-p', active],
            ...(merge ? ['-p', proposed] : []),
            ...['-m', message],
          ]);
    await this.local.git(['update-ref', `refs/heads/${environment}`, tip]);
  }

  #commit(args: readonly string[]): Promise<string> {
    const date = `@${this.#tick() / 1000} +0000`;
    return this.local.git(args, { env: { ...identity, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date } });
  }

  #tick(): number {
    this.#time += minuteMs;
    return this.#time;
  }
}
