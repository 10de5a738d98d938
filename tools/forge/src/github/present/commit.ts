import type { Core } from '../../domain/core.js';
import type { Account, Repository } from '../../domain/model.js';
import type { Commit, Signature } from '../../git/commit.js';
import type { FileChange } from '../../git/diff.js';
import { nodeId, type Links } from '../links.js';
import type { Schemas } from '../schema.js';
import { presentAccount } from './account.js';

const unsigned = { verified: false, reason: 'unsigned', signature: null, payload: null, verified_at: null };

/** Returns the commit in the form of the Git database API. */
export function presentGitCommit(core: Core, links: Links, repository: Repository, commit: Commit) {
  const { html, api } = urls(core, links, repository);
  return {
    sha: commit.sha,
    node_id: nodeId('Commit', commit.sha),
    url: `${api}/git/commits/${commit.sha}`,
    html_url: `${html}/commit/${commit.sha}`,
    author: utc(commit.author),
    committer: utc(commit.committer),
    tree: { sha: commit.tree, url: `${api}/git/trees/${commit.tree}` },
    message: commit.message,
    parents: commit.parents.map((sha) => ({
      sha,
      url: `${api}/git/commits/${sha}`,
      html_url: `${html}/commit/${sha}`,
    })),
    verification: unsigned,
  } satisfies Schemas['git-commit'];
}

/** Returns the commit with the accounts of its author and committer if their addresses are known. */
export function presentCommit(core: Core, links: Links, repository: Repository, commit: Commit) {
  const { html, api } = urls(core, links, repository);
  const account = ({ email }: Signature) => {
    const known = accountOf(core, email);
    return known === undefined ? null : presentAccount(links, known);
  };
  return {
    sha: commit.sha,
    node_id: nodeId('Commit', commit.sha),
    commit: {
      author: utc(commit.author),
      committer: utc(commit.committer),
      message: commit.message,
      tree: { sha: commit.tree, url: `${api}/git/trees/${commit.tree}` },
      url: `${api}/git/commits/${commit.sha}`,
      comment_count: 0,
      verification: unsigned,
    },
    url: `${api}/commits/${commit.sha}`,
    html_url: `${html}/commit/${commit.sha}`,
    comments_url: `${api}/commits/${commit.sha}/comments`,
    author: account(commit.author),
    committer: account(commit.committer),
    parents: commit.parents.map((sha) => ({
      sha,
      url: `${api}/commits/${sha}`,
      html_url: `${html}/commit/${sha}`,
    })),
  } satisfies Schemas['commit'];
}

/** Returns a file of a diff. `commit` is the commit that contains its content. */
export function presentFile(
  core: Core,
  links: Links,
  repository: Repository,
  commit: string,
  file: FileChange,
) {
  const { html, api } = urls(core, links, repository);
  const path = file.path.split('/').map(encodeURIComponent).join('/');
  return {
    sha: file.sha,
    filename: file.path,
    status: file.status,
    additions: file.additions,
    deletions: file.deletions,
    changes: file.additions + file.deletions,
    blob_url: `${html}/blob/${commit}/${path}`,
    raw_url: `${html}/raw/${commit}/${path}`,
    contents_url: `${api}/contents/${path}?ref=${commit}`,
    ...(file.patch === undefined ? {} : { patch: file.patch }),
    ...(file.previousPath === undefined ? {} : { previous_filename: file.previousPath }),
  } satisfies Schemas['diff-entry'];
}

/** Returns the account with that e-mail address. */
function accountOf(core: Core, email: string): Account | undefined {
  return core.state.accounts.find((account) => account.email === email);
}

function utc({ name, email, date }: Signature) {
  return { name, email, date: new Date(date).toISOString().replace(/\.\d+Z$/, 'Z') };
}

function urls(core: Core, links: Links, repository: Repository) {
  return links.repository(core.owner(repository).login, repository.name);
}
