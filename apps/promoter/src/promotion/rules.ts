import { short, type CheckLine, type Descends, type ObservedEnvironment } from './model.js';
import type { Environments } from './order.js';
import { heldByFlight, heldByRevert, heldByStrategy, rejectedBefore } from './held.js';
import { isFailed } from './statuses.js';

/** The lines that {@link evaluateRules} gives. */
export const ruleNames = ['Forward', 'Order', 'Healthy', 'NotHeld'] as const;
type RuleName = (typeof ruleNames)[number];

const success = (name: RuleName, reason: string, message: string): CheckLine => ({
  name,
  state: 'success',
  reason,
  message,
});
const pending = (name: RuleName, reason: string, message: string): CheckLine => ({
  name,
  state: 'pending',
  reason,
  message,
});

/**
 * The rules that concern the place of a proposed commit among the environments: forward, order, health of the
 * environments before, and holds. What the commit's own checks say is not part of it.
 * @returns one line per rule, in a fixed order. All must be `success` for the commit to be promoted.
 */
export function evaluateRules(
  environments: Environments,
  environment: ObservedEnvironment,
  descends: Descends,
): CheckLine[] {
  const drySHA = environment.proposed?.drySHA;
  if (drySHA === undefined) {
    const problem = environment.proposed?.problem ?? `${environment.proposedBranch} proposes nothing`;
    return [pending('Forward', 'NoDryCommit', problem)];
  }
  return [
    forward(environments, environment, drySHA, descends),
    order(environments, environment, drySHA),
    healthy(environments, environment, drySHA),
    notHeld(environments, environment, drySHA),
  ];
}

/** No moving backwards: by git ancestry of the dry branch, never by dates. */
function forward(
  environments: Environments,
  environment: ObservedEnvironment,
  drySHA: string,
  descends: Descends,
): CheckLine {
  for (const other of [environment, ...environments.dependentsOf(environment)]) {
    const active = environments.activeDrySHA(other);
    if (active === undefined) continue;
    const answer = descends(active, drySHA);
    if (answer === undefined) {
      const message = `${short(drySHA)} and ${short(active)}, active in ${other.branch}, are not both on the dry branch; hydrate a commit of the dry branch`;
      return pending('Forward', 'UnknownDryCommit', message);
    }
    if (!answer) {
      const message = `${short(drySHA)} is not a descendant of ${short(active)}, which is active in ${other.branch}; a newer dry commit moves on`;
      return pending('Forward', 'Backwards', message);
    }
  }
  return success('Forward', 'Descendant', `${short(drySHA)} comes after what is active`);
}

function order(environments: Environments, environment: ObservedEnvironment, drySHA: string): CheckLine {
  for (const dependency of environments.dependenciesOf(environment)) {
    if (environments.runs(dependency, drySHA)) continue;
    const active = environments.activeDrySHA(dependency);
    const message =
      dependency.active === undefined
        ? `${dependency.branch} does not exist; create the branch`
        : `${dependency.branch} runs ${short(active)}, not ${short(drySHA)}; promoted when it does`;
    return pending('Order', 'WaitingForEnvironment', message);
  }
  return success('Order', 'InOrder', 'every environment before runs the same dry commit');
}

function healthy(environments: Environments, environment: ObservedEnvironment, drySHA: string): CheckLine {
  const gates = environments.gatesFor(environment, drySHA);
  const open = gates.flatMap((gate) =>
    gate.activeStatuses
      .filter((finding) => finding.phase !== 'success')
      .map((finding) => ({ gate, finding })),
  );
  const worst = open.find(({ finding }) => isFailed(finding)) ?? open[0];
  if (worst === undefined) {
    return success('Healthy', 'Healthy', 'the environments before are healthy');
  }
  const { gate, finding } = worst;
  const message = `${finding.key} of ${gate.branch} is ${finding.phase}: ${finding.message}`;
  return isFailed(finding)
    ? { name: 'Healthy', state: 'failure', reason: 'ActiveStatusFailed', message }
    : pending('Healthy', finding.reason === 'Conflict' ? 'Conflict' : 'WaitingForActiveStatus', message);
}

function notHeld(environments: Environments, environment: ObservedEnvironment, drySHA: string): CheckLine {
  const problem =
    heldByStrategy(environment) ??
    heldByRevert(environment.reverts) ??
    heldByFlight(environments, environment, drySHA) ??
    rejectedBefore(environments.ancestorsOf(environment), drySHA);
  return problem === undefined
    ? success('NotHeld', 'NotHeld', 'no hold')
    : pending('NotHeld', problem.reason, problem.message);
}
