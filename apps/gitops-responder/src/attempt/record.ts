import type { AttemptResult } from '../event-response/observed.js';
import {
  changeFacts,
  parseOperations,
  planOffline,
  renderProposal,
  type ProposalFacts,
} from '@interlock/responding';

/** What provider `noop` does: the pull request that would be opened, for the status. Pure. */
export function recordProposal(facts: Omit<ProposalFacts, 'plan'>): AttemptResult {
  try {
    const { paths = {}, limits = {} } = facts.route;
    const guards = {
      allow: paths.allow,
      deny: paths.deny,
      maxFiles: limits.maxFiles,
      maxBytes: limits.maxBytes,
    };
    const plan = planOffline(parseOperations(facts.response.spec.action.parameters ?? {}), guards);
    if (plan.files.length + plan.unread.length === 0) return { type: 'nothingToChange', plan };
    const { title, body, branch } = renderProposal({ ...facts, plan: changeFacts(plan) });
    return { type: 'submitted', request: { state: 'open', branch, title, body }, plan, recorded: true };
  } catch (error) {
    return { type: 'failed', error, uncertain: false };
  }
}
