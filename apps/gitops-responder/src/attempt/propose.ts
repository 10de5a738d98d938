import { isTyped, type ResponseRoute } from '@interlock/api';
import {
  guardsOf,
  hostOf,
  needsLocation,
  pathsToRead,
  renderProposal,
  withLocation,
  type ChangePlan,
  type Operation,
  type Proposal,
} from '@interlock/responding';
import { ensurePullRequest, type Commit, type NewFile, type RepositoryContents } from '@interlock/scm';
import { addressOf } from '../config/repositories.js';
import type { AttemptResult } from '../event-response/observed.js';
import type { ProposeInput } from './attempt.js';
import { decorate } from './decorate.js';
import { isCommitFor, isCommitOf, seenOf } from './find.js';
import { locate } from './locate.js';
import { asOperators, OperatorError } from './operator-error.js';
import { Snapshot } from './snapshot.js';
import { requireTargets } from './targets.js';

/** Proposes the change of a response without a pull request; with mode `plan`, only plans it. */
export async function propose(input: ProposeInput): Promise<AttemptResult> {
  const { response, route, branch, repository, signal, mode } = input;
  const { baseBranch } = route.provider;
  const contents = contentsOf(input);
  const base = await asOperators(() => contents.branchTip(baseBranch, { signal }));
  if (base === undefined) {
    const message = `${repository.fullName} has no branch ${baseBranch}; correct provider.baseBranch`;
    throw new OperatorError('Invalid', message, { reason: 'BaseBranchMissing' });
  }
  const own = await asOperators(() => contents.branchTip(branch, { signal }));
  if (own !== undefined && !isCommitOf(response, own)) return { type: 'foreignCommits', branch };
  const snapshot = new Snapshot(contents, base.sha, signal);
  const operations = await locatedOperations(input, snapshot);
  const plan = await planAt(snapshot, operations, input);
  await requireTargets(input, plan);
  if (plan.files.length === 0) {
    if (own !== undefined) await contents.deleteBranch(branch, own.sha, { signal });
    return { type: 'nothingToChange', plan };
  }
  if (mode === 'plan') return { type: 'planned', plan };
  const hold = input.gateHold() ?? input.holdOf(plan);
  if (hold !== undefined) return { type: 'held', plan, hold };
  const proposal = proposalOf(input, plan);
  await input.onPlanned(plan);
  const message = proposal.commitMessage;
  const isOurs = await asOperators(() => commit(input, { contents, base, own, snapshot, plan, message }));
  if (!isOurs) return { type: 'foreignCommits', branch };
  const closed = input.gateHold();
  if (closed !== undefined) return { type: 'held', plan, hold: closed };
  const { title, body, draft } = proposal;
  const desired = { head: branch, base: baseBranch, title, body, draft };
  input.isUncertain(true);
  const { pullRequest, deferred } = await asOperators(() =>
    ensurePullRequest(repository, desired, { signal }),
  );
  if (deferred !== undefined) throw deferred;
  input.isUncertain(false);
  const request = seenOf(pullRequest);
  await input.onOpened(request);
  await decorate(input, pullRequest.id);
  return { type: 'submitted', request, plan };
}

function contentsOf({ repository, route }: ProposeInput): RepositoryContents {
  if (repository.contents !== undefined) return repository.contents;
  const message = `provider ${route.provider.kind} does not offer the contents of repositories`;
  throw new OperatorError('Invalid', message, { reason: 'NoContents' });
}

/**
 * Returns the texts of the pull request. An invalid template is an error of the operator, who owns the templates; the
 * response owns the parameters, which choose the branch.
 */
function proposalOf(input: ProposeInput, plan: ChangePlan): Proposal {
  try {
    return renderProposal({ ...input, gate: input.gateNow(), plan });
  } catch (error) {
    if (!isTyped(error, 'Invalid') || error.reason !== 'TemplateInvalid') throw error;
    throw new OperatorError(error.type, error.message, { reason: error.reason, cause: error });
  }
}

async function locatedOperations(input: ProposeInput, snapshot: Snapshot): Promise<Operation[]> {
  const { response, event, route, client, planner } = input;
  const operations = await planner.operations(tenantOf(route), response);
  if (!needsLocation(operations)) return operations;
  const located = await locate({
    client,
    response,
    event,
    host: hostOf(route.provider) ?? '',
    repository: route.provider.repository,
    snapshot,
    planner,
    tenant: tenantOf(route),
  });
  return withLocation(operations, located.document, located.isHelm);
}

async function planAt(
  snapshot: Snapshot,
  operations: readonly Operation[],
  { route, planner }: ProposeInput,
): Promise<ChangePlan> {
  const states = await snapshot.states(pathsToRead(operations), operations);
  return planner.plan(tenantOf(route), operations, states, guardsOf(route));
}

/** Returns the owner of the work of the planner: the repository, whose users write the files. */
function tenantOf({ provider }: ResponseRoute): string {
  return addressOf(provider.kind, provider);
}

interface Work {
  contents: RepositoryContents;
  base: Commit;
  /** The tip of the branch of the response, which an earlier attempt created. */
  own: Commit | undefined;
  snapshot: Snapshot;
  plan: ChangePlan;
  message: string;
}

/**
 * Puts the change on the branch of the response, in one commit. A branch with other operations, or from another base, is recreated, so that
 * the pull request has exactly the files of its plan.
 *
 * @returns whether the branch has no commits of other authors.
 */
async function commit({ branch, route, response, signal }: ProposeInput, work: Work): Promise<boolean> {
  const { contents, base, own, snapshot, plan, message } = work;
  const made = { digest: plan.digest, base: base.sha };
  if (own !== undefined) {
    if (isCommitFor(own, made)) return true;
    await contents.deleteBranch(branch, own.sha, { signal });
  }
  const onto = { base: route.provider.baseBranch, sha: base.sha };
  const files = await filesOf(plan, snapshot);
  try {
    await contents.commitFiles({ branch, onto, message, files }, { signal });
    return true;
  } catch (error) {
    if (!isTyped(error, 'Conflict') || error.reason !== 'AlreadyExists') throw error;
    const tip = await contents.branchTip(branch, { signal });
    if (tip === undefined || !isCommitOf(response, tip)) return false;
    if (isCommitFor(tip, made)) return true;
    throw error;
  }
}

async function filesOf(plan: ChangePlan, snapshot: Snapshot): Promise<NewFile[]> {
  const files: NewFile[] = [];
  for (const { path, content } of plan.files) {
    const previous = (await snapshot.file(path))?.entry;
    files.push({
      path,
      contents: content === undefined ? undefined : Buffer.from(content, 'utf8'),
      previous,
    });
  }
  return files;
}
