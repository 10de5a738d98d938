import { eventually } from '@interlock/kube/testing';
import type { Proposal } from './repository-writer.js';
import type { Team } from './team.js';

/** A change that is proposed for the environment dev by an open pull request. */
export interface OpenProposal extends Proposal {
  /** Number of the pull request. */
  number: number;
  /** The commit on the proposed branch of dev. */
  sha: string;
}

/** Proposes a change for dev that waits for the check lint. */
export async function proposeUnchecked(team: Team): Promise<OpenProposal> {
  await team.applyStrategy({ proposedCommitStatuses: [{ key: 'lint' }] });
  const proposal = await team.propose();
  await team.refresh();
  await team.waitsFor('dev', 'Missing');
  return opened(team, proposal);
}

/** Proposes a change for dev that waits for a user to merge it. */
export async function proposeManually(team: Team): Promise<OpenProposal> {
  await team.applyStrategy({ environments: [{ branch: 'dev', autoMerge: false }] });
  const proposal = await team.propose();
  await team.refresh();
  return opened(team, proposal);
}

/** Proposes a change that dev runs, and that waits for the check approval in test. */
export async function proposeUnapproved(team: Team): Promise<Proposal> {
  await team.applyStrategy({
    environments: ['dev', { branch: 'test', proposedCommitStatuses: [{ key: 'approval' }] }],
  });
  const proposal = await team.propose();
  await team.refresh();
  await team.runs('dev', proposal.drySHA);
  return proposal;
}

async function opened(team: Team, proposal: Proposal): Promise<OpenProposal> {
  const { number } = await eventually(() => team.openPull('dev'));
  return { ...proposal, number, sha: proposal.hydrated['dev'] ?? '' };
}
