import * as z from 'zod';
import { branchOf } from '../../domain/pulls.js';
import { Refusal } from '../../domain/refusal.js';
import { WorkingTree } from '../../domain/working-tree.js';
import { isTreePath } from '../../git/tree.js';
import { repositoryRoute, type GiteaRoute, type RepositoryCall } from '../call.js';
import { GiteaError } from '../errors.js';
import { presentGitCommit } from '../present/commit.js';

const change = z.object({
  operation: z.enum(['create', 'update', 'delete']),
  path: z.string().min(1),
  content: z.base64().default(''),
  /** Blob of the file that is updated or deleted; compared if it is given. */
  sha: z.string().optional(),
  from_path: z.string().optional(),
});
const changeRequest = z.object({
  branch: z.string().optional(),
  new_branch: z.string().optional(),
  message: z.string().default('Change files'),
  files: z.array(change).min(1),
});

type Change = z.output<typeof change>;

/** REST API, "repository": several files in one commit, on the tip of a branch. */
export const contentRoutes: GiteaRoute[] = [
  repositoryRoute('POST /contents', 'contents:write', async (call) => {
    const { domain, links, repository, git, actor } = call;
    const {
      branch = repository.defaultBranch,
      new_branch: made = branch,
      ...wanted
    } = call.read(changeRequest);
    const parent = branchOf(repository, branch);
    if (parent === undefined) {
      throw new GiteaError(404, `branch does not exist [repo_id: ${repository.id} name: ${branch}]`);
    }
    if (made !== branch && branchOf(repository, made) !== undefined) {
      throw new GiteaError(422, `branch already exists [name: ${made}]`);
    }
    const tree = await WorkingTree.of(git, parent);
    // All changes are checked against the tip, independent of the previous changes.
    for (const file of wanted.files) check(tree, file);
    for (const file of wanted.files) await apply(call, tree, file);
    const request = { branch: made, parent, message: wanted.message.trim(), tree };
    const sha = await domain.fileCommits.commit(repository, actor.account, request).catch(inWords);
    const files = wanted.files.map(({ operation, path }) =>
      operation === 'delete' ? null : { path, sha: tree.get(path)?.sha ?? '', type: 'file' },
    );
    const commit = presentGitCommit(domain, links, repository, await git.commit(sha));
    return { status: 201, body: { files, commit } };
  }),
];

/** @throws GiteaError 422, or 500 for a missing file, as in Gitea. */
function check(tree: WorkingTree, { operation, path, from_path: from = path, sha }: Change): void {
  if (!isTreePath(path))
    throw new GiteaError(422, `path contains a malformed path component [path: ${path}]`);
  if (operation !== 'create') {
    const current = tree.get(from);
    if (current === undefined) throw new GiteaError(500, `object does not exist [id: , rel_path: ${from}]`);
    if (sha !== undefined && sha !== current.sha) {
      throw new GiteaError(422, `sha does not match [given: ${sha}, expected: ${current.sha}]`);
    }
  }
  if (operation === 'delete') return;
  const obstacle = tree.obstacle(path);
  if (obstacle !== undefined) {
    const said = 'a file exists where you’re trying to create a subdirectory';
    throw new GiteaError(422, `${said} [path: ${obstacle}]`);
  }
  if (tree.isFolder(path)) {
    throw new GiteaError(422, `a directory exists where you’re trying to create a file [path: ${path}]`);
  }
  const current = tree.get(path);
  if (current?.mode === '120000') {
    const said = 'a symbolic link exists where you’re trying to create a subdirectory';
    throw new GiteaError(422, `${said} [path: ${path}]`);
  }
  if (current !== undefined && (operation === 'create' || from !== path)) {
    throw new GiteaError(422, `repository file already exists [path: ${path}]`);
  }
}

/** Applies a change. An updated file keeps its executable bit, which cannot be set otherwise. */
async function apply({ git }: RepositoryCall, tree: WorkingTree, wanted: Change): Promise<void> {
  const { operation, path, from_path: from = path, content } = wanted;
  const mode = operation === 'update' && tree.get(from)?.mode === '100755' ? '100755' : '100644';
  if (operation === 'delete' || from !== path) tree.remove(from);
  if (operation === 'delete') return;
  tree.put(path, { mode, sha: await git.createBlob(Buffer.from(content, 'base64')) });
}

function inWords(error: unknown): never {
  if (error instanceof Refusal && error.reason.code === 'ProtectedBranch') {
    throw new GiteaError(403, 'user cannot commit to protected branch');
  }
  throw error;
}
