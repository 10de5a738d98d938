import { shortSHA } from '@interlock/api';
import type { ConditionReason } from '@interlock/kube';
import { dryBranchProblem } from './dry-branch.js';
import type { CheckLine, DryBranch, ObservedEnvironment } from './model.js';
import type { Environments } from './order.js';
import { heldByFlight, heldByRevert, heldByStrategy, rejectedBefore } from './held.js';
import { isFailed } from './statuses.js';

/** The names of the lines that {@link evaluateRules} returns. */
export const ruleNames = ['Forward', 'Order', 'Healthy', 'NotHeld'] as const;
type RuleName = (typeof ruleNames)[number];

/** Returns whether a line belongs to a rule, not to a key. */
export function isRule({ name }: Pick<CheckLine, 'name'>): boolean {
  return ruleNames.some((rule) => rule === name);
}

/** Names of lines of a status that are not keys; Merge is the answer of the SCM. */
const reserved: readonly string[] = [...ruleNames, 'Merge'];

/** Returns the line of a key beside the lines of the rules, all of which have distinct names. */
export function besideRules(line: CheckLine): CheckLine {
  return reserved.includes(line.name) ? { ...line, name: `key ${line.name}` } : line;
}

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
 * Evaluates the rules about the position of a proposed commit among the environments: forward, order, health of the
 * preceding environments, and holds. The commit's own checks are separate.
 * @returns one line per rule, in a fixed order. All must be `success` for the commit to be promoted.
 */
export function evaluateRules(
  environments: Environments,
  environment: ObservedEnvironment,
  dryBranch: DryBranch,
): CheckLine[] {
  const drySHA = environment.proposed?.drySHA;
  if (drySHA === undefined) {
    const problem = environment.proposed?.problem ?? `${environment.proposedBranch} proposes nothing`;
    return [pending('Forward', 'NoDryCommit', problem)];
  }
  return [
    forward(environments, environment, drySHA, dryBranch),
    order(environments, environment, drySHA),
    healthy(environments, environment, drySHA),
    notHeld(environments, environment, drySHA),
  ];
}

/** Requires that the environment moves forward on the dry branch, by git ancestry, never by dates. */
function forward(
  environments: Environments,
  environment: ObservedEnvironment,
  drySHA: string,
  dryBranch: DryBranch,
): CheckLine {
  const problem =
    dryBranchProblem(dryBranch) ??
    notOnBranch(drySHA, dryBranch) ??
    [environment, ...environments.dependentsOf(environment)]
      .map((other) => notAfter(environments, other, drySHA, dryBranch))
      .find((found) => found !== undefined);
  return problem === undefined
    ? success('Forward', 'Descendant', `${shortSHA(drySHA)} comes after the active commit`)
    : pending('Forward', problem.reason, problem.message);
}

function notOnBranch(
  drySHA: string,
  { name, tipSHA = '', descends }: DryBranch,
): ConditionReason | undefined {
  const isOn = descends(drySHA, tipSHA);
  if (isOn === true) return undefined;
  if (isOn === undefined) {
    const message = `${shortSHA(drySHA)} is not a commit of the repository; hydrate a commit of ${name}`;
    return { reason: 'UnknownDryCommit', message };
  }
  const message = `${shortSHA(drySHA)} is not on ${name}; merge it into ${name}, or hydrate a commit of ${name}`;
  return { reason: 'NotOnDryBranch', message };
}

/** Returns why a dry commit does not come after what an environment runs; undefined when it does. */
function notAfter(
  environments: Environments,
  environment: ObservedEnvironment,
  drySHA: string,
  { name, tipSHA = '', descends }: DryBranch,
): ConditionReason | undefined {
  const active = environments.activeDrySHA(environment);
  if (active === undefined || descends(active, drySHA) === true) return undefined;
  const [proposed, running] = [shortSHA(drySHA), `${shortSHA(active)}, active in ${environment.branch},`];
  const isOlder = descends(drySHA, active) === true;
  if (descends(active, tipSHA) !== true) {
    const wayOut = `merge ${shortSHA(active)} into ${name} with "git merge -s ours", or merge the pull request by hand`;
    return isOlder
      ? {
          reason: 'Backwards',
          message: `${running} comes after ${proposed}, and is not on ${name}; ${wayOut}`,
        }
      : { reason: 'Diverged', message: `${running} is not on ${name}, from which it diverged; ${wayOut}` };
  }
  const message = isOlder
    ? `${running} comes after ${proposed}; push a dry commit after it`
    : `${running} does not come before ${proposed}; push a dry commit after both`;
  return { reason: 'Backwards', message };
}

/** Requires that every preceding environment, not only the nearest, runs the dry commit. */
function order(environments: Environments, environment: ObservedEnvironment, drySHA: string): CheckLine {
  for (const dependency of environments.ancestorsOf(environment)) {
    if (environments.runs(dependency, drySHA)) continue;
    const active = environments.activeDrySHA(dependency);
    const message =
      dependency.active === undefined
        ? `${dependency.branch} does not exist; create the branch`
        : `${dependency.branch} runs ${shortSHA(active)}, not ${shortSHA(drySHA)}; the promotion continues when ${dependency.branch} runs that commit`;
    return pending('Order', 'WaitingForEnvironment', message);
  }
  return success('Order', 'InOrder', 'every preceding environment runs the same dry commit');
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
    return success('Healthy', 'Healthy', 'the preceding environments are healthy');
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
