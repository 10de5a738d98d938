import * as z from 'zod';
import { branchOf } from '../../domain/pulls.js';
import { Refusal } from '../../domain/refusal.js';
import { WorkingTree } from '../../domain/working-tree.js';
import { isTreePath } from '../../git/tree.js';
import type { ProjectCall } from '../call.js';
import { GitlabError } from '../errors.js';
import { flag } from '../schema.js';

const action = z.object({
  action: z.enum(['create', 'update', 'delete', 'move', 'chmod']),
  file_path: z.string(),
  previous_path: z.string().optional(),
  content: z.string().optional(),
  encoding: z.enum(['text', 'base64']).default('text'),
  last_commit_id: z.string().optional(),
  execute_filemode: flag.optional(),
});
const commitRequest = z.object({
  branch: z.string().min(1),
  commit_message: z.string().min(1),
  start_branch: z.string().optional(),
  start_sha: z.string().optional(),
  actions: z.array(action).min(1),
});

type Action = z.output<typeof action>;
type CommitRequest = z.output<typeof commitRequest>;

/**
 * Creates a commit from actions, which are applied one after the other. @returns the commit. @throws GitlabError 400
 */
export async function commitActions(call: ProjectCall): Promise<string> {
  const wanted = call.read(commitRequest);
  const { domain, repository, actor, git } = call;
  const parent = await startOf(call, wanted);
  for (const each of wanted.actions) await refuseChanged(call, each, parent);
  const tree = await WorkingTree.of(git, parent);
  for (const each of wanted.actions) await apply(call, tree, each);
  const { branch, commit_message: message } = wanted;
  try {
    return await domain.fileCommits.commit(repository, actor.account, { branch, parent, message, tree });
  } catch (error) {
    if (!(error instanceof Refusal) || error.reason.code !== 'ReferenceInvalid') throw error;
    throw refusal(`Something went wrong when we tried to create '${branch}' for you: Branch name is invalid`);
  }
}

/** Returns the base commit: the tip of the branch, unless the branch is new. */
async function startOf(call: ProjectCall, wanted: CommitRequest): Promise<string> {
  const { branch, start_branch: from = branch, start_sha: sha } = wanted;
  const { repository, git } = call;
  const different = sha !== undefined || from !== branch;
  const start = sha === undefined ? branchOf(repository, from) : await git.resolve(sha);
  if (start === undefined) {
    const other = 'You can only create or edit files when you are on a branch';
    throw refusal(sha === undefined ? other : `Cannot find start_sha '${sha}'`);
  }
  if (different && branchOf(repository, branch) !== undefined) {
    throw refusal(
      `A branch called '${branch}' already exists. Switch to that branch in order to make changes`,
    );
  }
  return start;
}

/** Checks `last_commit_id`, the last commit that changed the file according to the caller. */
async function refuseChanged({ git }: ProjectCall, wanted: Action, parent: string): Promise<void> {
  const { file_path: path, last_commit_id: known } = wanted;
  if (known === undefined || wanted.action === 'create') return;
  const [last] = await git.log(['-n', '1', parent], [wanted.previous_path ?? path]);
  if (last === undefined || last.sha === known) return;
  throw refusal(`The file has changed since you started editing it: ${path}`);
}

async function apply({ git }: ProjectCall, tree: WorkingTree, wanted: Action): Promise<void> {
  const { file_path: path, previous_path: previous = path, content, encoding } = wanted;
  if (path.split('/').includes('..')) throw refusal('Path cannot include directory traversal');
  if (!isTreePath(path)) throw refusal(`invalid path: '${path}'`);
  const isNew = wanted.action === 'create' || wanted.action === 'move';
  const file = wanted.action === 'create' ? undefined : tree.get(previous);
  if (file === undefined && wanted.action !== 'create') throw refusal("A file with this name doesn't exist");
  if (isNew && tree.isFolder(path)) throw refusal('A directory with this name already exists');
  if (isNew && (tree.get(path) ?? tree.obstacle(path)) !== undefined) {
    throw refusal('A file with this name already exists');
  }
  if (wanted.action === 'delete' || wanted.action === 'move') tree.remove(previous);
  if (wanted.action === 'delete') return;
  const bytes =
    content === undefined ? undefined : Buffer.from(content, encoding === 'text' ? 'utf8' : encoding);
  const keeps = file !== undefined && (bytes === undefined || wanted.action === 'chmod');
  const sha = keeps ? file.sha : await git.createBlob(bytes ?? Buffer.alloc(0));
  const chosen = wanted.execute_filemode === true ? '100755' : '100644';
  tree.put(path, { sha, mode: wanted.action === 'chmod' ? chosen : (file?.mode ?? '100644') });
}

function refusal(said: string): GitlabError {
  return new GitlabError(400, said);
}
