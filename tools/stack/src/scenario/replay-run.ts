import { hydratorNotesRef } from '@interlock/git';
import type { LocalRepository } from '../git.js';
import type { ReplayPlan, ReplayStep } from '../repository/replay.js';

/** Pushes the commits and notes of a hydrator from a copy of the repository to the forge. */
export class Replayer {
  readonly #present = new Set<string>();

  readonly #source: LocalRepository;
  readonly #plan: ReplayPlan;
  /** URL of the repository at the forge, with the credential of the hydrator. */
  readonly #remote: { url: string; env: Record<string, string> };

  constructor(
    source: LocalRepository,
    plan: ReplayPlan,
    remote: { url: string; env: Record<string, string> },
  ) {
    this.#source = source;
    this.#plan = plan;
    this.#remote = remote;

    for (const { proposed } of plan.environments) this.#present.add(proposed);
  }

  /** Resets the branches and notes at the forge to the beginning of the replay. */
  async rewind(): Promise<void> {
    const { environments, dryBranch, dryStart, notes } = this.#plan;
    await this.#source.git(['update-ref', '-d', hydratorNotesRef]);
    for (const [commit, drySHA] of notes) await this.#note(commit, drySHA);
    await this.#push([
      [dryStart, `refs/heads/${dryBranch}`],
      ...environments.flatMap(({ branch, proposedBranch, active, proposed }): [string, string][] => [
        [active, `refs/heads/${branch}`],
        [proposed, `refs/heads/${proposedBranch}`],
      ]),
      [hydratorNotesRef, hydratorNotesRef],
    ]);
  }

  /** Pushes the dry commit of a step, and the commits that were hydrated from it. */
  async step({ drySHA, proposed, noted }: ReplayStep): Promise<void> {
    for (const commit of proposed.values()) this.#present.add(commit);
    for (const commit of noted) if (this.#present.has(commit)) await this.#note(commit, drySHA);
    await this.#push([
      [drySHA, `refs/heads/${this.#plan.dryBranch}`],
      [hydratorNotesRef, hydratorNotesRef],
      ...[...proposed].map(([branch, commit]): [string, string] => [commit, `refs/heads/${branch}`]),
    ]);
  }

  async #note(commit: string, drySHA: string): Promise<void> {
    const message = JSON.stringify({ drySha: drySHA });
    await this.#source.git(['notes', `--ref=${hydratorNotesRef}`, 'add', '-f', '-m', message, commit]);
  }

  /* The proposed branch may contain a merge commit of the promoter, on which the recorded commits are not based. */
  async #push(refs: readonly [string, string][]): Promise<void> {
    const refspecs = refs.map(([from, to]) => `+${from}:${to}`);
    await this.#source.git(['push', '--quiet', '--atomic', this.#remote.url, ...refspecs], {
      env: this.#remote.env,
    });
  }
}
