import type { AttemptResult } from '../event-response/observed.js';
import {
  changeFacts,
  guardsOf,
  operationsOf,
  planOffline,
  renderProposal,
  type ProposalFacts,
} from '@interlock/responding';

/** Returns the pull request that provider `noop` records in the status. Pure. */
export function recordProposal(facts: Omit<ProposalFacts, 'plan'>): AttemptResult {
  try {
    const plan = planOffline(operationsOf(facts.response), guardsOf(facts.route));
    if (plan.files.length + plan.unread.length === 0) return { type: 'nothingToChange', plan };
    const { title, body, branch } = renderProposal({ ...facts, plan: changeFacts(plan) });
    return { type: 'submitted', request: { state: 'open', branch, title, body }, plan, recorded: true };
  } catch (error) {
    return { type: 'failed', error, uncertain: false };
  }
}
