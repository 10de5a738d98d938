import { truncate } from '@interlock/base';
import { withTrailers } from '@interlock/git';
import type { HydratedCommit, StatusFinding } from './model.js';
import {
  dryActiveTrailer,
  dryProposedTrailer,
  hydratedActiveTrailer,
  hydratedProposedTrailer,
} from './provenance.js';
import type { PullRequestText } from './pull-request-text.js';

/** The API server accepts a message of 30,000 characters; the trailers of many keys may need the others. */
const maxText = 10_000;

/**
 * Returns the message of the merge commit. Its trailers are the only store of the promotion history. Their names are the same as
 * in the published GitOps Promoter, so that its tools can read them.
 * @param more trailers beside the usual ones.
 */
export function mergeMessage(
  text: Pick<PullRequestText, 'title' | 'description'>,
  facts: {
    active?: HydratedCommit | undefined;
    proposed?: Pick<HydratedCommit, 'hydratedSHA' | 'drySHA'> | undefined;
  },
  proposedStatuses: readonly StatusFinding[],
  activeStatuses: readonly StatusFinding[],
  more: Readonly<Record<string, string>> = {},
): string {
  return withTrailers(truncate(`${text.title}\n\n${text.description}`, maxText), {
    ...sha(dryActiveTrailer, facts.active?.drySHA),
    ...sha(dryProposedTrailer, facts.proposed?.drySHA),
    ...sha(hydratedActiveTrailer, facts.active?.hydratedSHA),
    ...sha(hydratedProposedTrailer, facts.proposed?.hydratedSHA),
    ...more,
    ...phases('active', activeStatuses),
    ...phases('proposed', proposedStatuses),
  });
}

function sha(key: string, value: string | undefined): Record<string, string> {
  return value === undefined ? {} : { [key]: value };
}

/* A key of CommitStatuses may contain characters that are not allowed in a trailer key. */
function phases(side: 'active' | 'proposed', statuses: readonly StatusFinding[]): Record<string, string> {
  return Object.fromEntries(
    statuses.map(({ key, phase }) => [
      `Commit-status-${side}-${key.replace(/[^A-Za-z0-9-]/g, '-')}-phase`,
      phase,
    ]),
  );
}
