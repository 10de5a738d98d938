import { changeFacts, guardsOf, renderProposal, type ProposalFacts } from '@interlock/responding';
import { addressOf } from '../config/repositories.js';
import type { AttemptResult } from '../event-response/observed.js';
import type { Planner } from '../planning/planner.js';

/** Returns the pull request that provider `noop` records in the status. */
export async function recordProposal(
  facts: Omit<ProposalFacts, 'plan'>,
  planner: Pick<Planner, 'operations' | 'planOffline'>,
): Promise<AttemptResult> {
  try {
    const { provider } = facts.route;
    const tenant = addressOf(provider.kind, provider);
    const operations = await planner.operations(tenant, facts.response);
    const plan = await planner.planOffline(tenant, operations, guardsOf(facts.route));
    if (plan.files.length + plan.unread.length === 0) return { type: 'nothingToChange', plan };
    const { title, body, branch } = renderProposal({ ...facts, plan: changeFacts(plan) });
    return { type: 'submitted', request: { state: 'open', branch, title, body }, plan, recorded: true };
  } catch (error) {
    return { type: 'failed', error, uncertain: false };
  }
}
