import { conditions, type Check, type ProposedCommit } from '@interlock/api';
import { getCondition } from '@interlock/kube';
import { ruleNames } from './rules.js';

/** Why a promotion waits: a rule, any key of a CommitStatus, or the merge that all of them allow. */
export const waitClasses = [...ruleNames, 'CommitStatus', 'Merge'] as const;
export type WaitClass = (typeof waitClasses)[number];

/** A promotion that has not ended. */
interface Wait {
  reason: WaitClass;
  /** Milliseconds since the epoch. */
  since: number;
}

/** Returns the class of a check by its name; the keys that strategies choose are one class, whatever their number. */
export function waitClassOf(check: string): WaitClass {
  return ruleNames.find((rule) => rule === check) ?? 'CommitStatus';
}

/** Returns what a proposed commit waits for. Pure. */
function waitsOf({ status }: ProposedCommit): Wait[] {
  const checks = status?.checks ?? [];
  const waiting = checks.filter(({ state }) => state !== 'success');
  if (waiting.length > 0) {
    return waiting.map((check) => ({ reason: waitClassOf(check.name), since: sinceOf(check) }));
  }
  if (checks.length === 0 || getCondition(status?.conditions, conditions.promoted)?.status !== 'False') {
    return [];
  }
  return [{ reason: 'Merge', since: Math.max(...checks.map(sinceOf)) }];
}

/** Returns for each class the seconds of the longest wait; 0 when nothing waits. Pure; `now` in milliseconds since the epoch. */
export function oldestWaits(proposedCommits: Iterable<ProposedCommit>, now: number): Map<WaitClass, number> {
  const oldest = new Map<WaitClass, number>(waitClasses.map((reason) => [reason, 0]));
  for (const proposedCommit of proposedCommits) {
    for (const { reason, since } of waitsOf(proposedCommit)) {
      oldest.set(reason, Math.max(oldest.get(reason) ?? 0, (now - since) / 1000));
    }
  }
  return oldest;
}

function sinceOf({ since }: Check): number {
  return Date.parse(since);
}
