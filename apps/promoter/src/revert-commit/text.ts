import { shortSHA, type RevertCommit } from '@interlock/api';
import { prefixOf } from '@interlock/base';
import { withTrailers } from '@interlock/git';
import type { HydratedCommit } from '../promotion/model.js';
import { dryProposedTrailer } from '../promotion/provenance.js';
import { revertOfTrailer, revertReasonTrailer, revertToTrailer } from '../promotion/revert-trailers.js';
import { escapeMarkdown, escapeTitle } from '../promotion/template.js';
import type { RevertTarget } from './observed.js';

const maxTitle = 256;

/** Returns the title and the description of the pull request of a revert. */
export function revertText(
  { spec, metadata, status }: RevertCommit,
  active: HydratedCommit,
  target: RevertTarget,
): { title: string; description: string } {
  const rejected = shortSHA(status?.rejectedDrySHA ?? active.hydratedSHA);
  const paragraphs = [
    `Reverts ${escapeMarkdown(spec.activeBranch)} from ${rejected} to ${named(target)}: exactly the content of commit ${target.hydratedSHA}.`,
    ...(spec.reason === undefined ? [] : [`Reason: ${escapeMarkdown(spec.reason)}`]),
    `While RevertCommit ${escapeMarkdown(metadata.name)} is in force, only dry commits after ${rejected} are promoted here. Close this pull request to reject the revert.`,
  ];
  return { title: titleOf(spec, target), description: paragraphs.join('\n\n') };
}

/** Returns the message of the commit that restores the content of the target on top of the active commit. */
export function revertMessage({ spec }: RevertCommit, active: HydratedCommit, target: RevertTarget): string {
  const { reason } = spec;
  const text = `${titleOf(spec, target)}\n\n${reason ?? `Reverts ${active.hydratedSHA}.`}`;
  return withTrailers(text, {
    ...(target.drySHA !== undefined && { [dryProposedTrailer]: target.drySHA }),
    ...revertTrailers(spec, active, target),
  });
}

/** Returns the trailers that identify a commit as a revert. */
export function revertTrailers(
  { reason }: RevertCommit['spec'],
  active: HydratedCommit,
  target: RevertTarget,
): Record<string, string> {
  return {
    [revertOfTrailer]: active.hydratedSHA,
    [revertToTrailer]: target.hydratedSHA,
    ...(reason !== undefined && { [revertReasonTrailer]: reason }),
  };
}

function titleOf({ activeBranch }: RevertCommit['spec'], target: RevertTarget): string {
  return prefixOf(escapeTitle(`Revert ${activeBranch} to ${named(target)}`), maxTitle);
}

function named({ drySHA, hydratedSHA }: RevertTarget): string {
  return shortSHA(drySHA ?? hydratedSHA);
}
