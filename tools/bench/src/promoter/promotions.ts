import type { Forge, JournalEntry } from '@interlock/forge';

/** A promotion as observed by the forge; times in milliseconds since the epoch. */
export interface Promotion {
  readonly repositoryId: number;
  /** The proposed branch. */
  readonly branch: string;
  /** When the forge had received the push and sent the webhook. */
  pushedAt: number;
  /** When the pull request existed. */
  openedAt: number;
  merged: boolean;
  /** The requests to the forge between these times, in order. */
  requests: JournalEntry[];
}

/** The stages from the webhook to the pull request. */
export const stages = [
  'webhook received, remote requested',
  'ls-remote',
  'fetch of commits and metadata',
  'rules evaluated, resources written',
  'pull request API',
] as const;

/** Returns the milliseconds of each of the {@link stages}. */
export function stagesOf({ pushedAt, openedAt, requests }: Promotion): number[] {
  const git = requests.filter(({ api }) => api === 'git');
  const listed = git.find(({ route }) => route.endsWith('/git-upload-pack'));
  const last = git.at(-1);
  const asked = requests.find(({ api }) => api === 'rest');
  const [started] = git;
  if (!started || !listed || !last || !asked)
    throw new Error('the forge did not receive the expected requests');
  const moments = [pushedAt, started.at, endOf(listed), endOf(last), asked.at, openedAt];
  return stages.map((_, index) => (moments[index + 1] ?? 0) - (moments[index] ?? 0));
}

const endOf = ({ at, durationMs }: JournalEntry): number => at + durationMs;

/** Records the times of pushes and pull requests at a forge in this process. */
export class Promotions {
  #current: Promotion | undefined;
  #since = 0;

  constructor(forge: Forge) {
    forge.domain.core.listen((event) => {
      const current = this.#current;
      if (current?.repositoryId !== event.repository.id) return;
      if (event.type === 'push' && event.ref === `refs/heads/${current.branch}`) {
        current.pushedAt = Date.now();
        this.#since = forge.journal.seq;
      }
      if (event.type !== 'pullRequest' || event.pull.head.ref !== current.branch) return;
      if (event.action === 'opened') {
        current.openedAt = Date.now();
        current.requests = forge.journal.entries({ since: this.#since });
      }
      if (event.action === 'closed') current.merged = event.pull.merge !== undefined;
    });
  }

  /** Starts recording the next promotion from this branch. */
  begin(repositoryId: number, branch: string): Promotion {
    this.#current = { repositoryId, branch, pushedAt: 0, openedAt: 0, merged: false, requests: [] };
    return this.#current;
  }
}
