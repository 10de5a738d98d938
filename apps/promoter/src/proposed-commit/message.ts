import { withTrailers } from '@interlock/git';
import type { EnvironmentFacts, StatusFinding } from '../promotion/model.js';
import type { PullRequestText } from '../promotion/pull-request-text.js';

/**
 * @returns the message of the merge commit. Its trailers are the promotion history's only store (names as the
 * published GitOps Promoter writes them, so that its tools read them too).
 */
export function mergeMessage(
  text: PullRequestText,
  facts: EnvironmentFacts,
  proposedStatuses: readonly StatusFinding[],
  activeStatuses: readonly StatusFinding[],
): string {
  return withTrailers(`${text.title}\n\n${text.description}`, {
    ...sha('Sha-dry-active', facts.active?.drySHA),
    ...sha('Sha-dry-proposed', facts.proposed?.drySHA),
    ...sha('Sha-hydrated-active', facts.active?.hydratedSHA),
    ...sha('Sha-hydrated-proposed', facts.proposed?.hydratedSHA),
    ...phases('active', activeStatuses),
    ...phases('proposed', proposedStatuses),
  });
}

function sha(key: string, value: string | undefined): Record<string, string> {
  return value === undefined ? {} : { [key]: value };
}

/* A key of CommitStatuses may hold characters that a trailer's may not. */
function phases(side: 'active' | 'proposed', statuses: readonly StatusFinding[]): Record<string, string> {
  return Object.fromEntries(
    statuses.map(({ key, phase }) => [
      `Commit-status-${side}-${key.replace(/[^A-Za-z0-9-]/g, '-')}-phase`,
      phase,
    ]),
  );
}
