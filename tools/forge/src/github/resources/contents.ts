import * as z from 'zod';
import { git } from '../../git/run.js';
import type { TreeEntry } from '../../git/tree.js';
import { Refusal } from '../../domain/refusal.js';
import { repositoryRoute, type GithubRoute, type RepositoryCall } from '../call.js';
import type { Answer } from '../../rest/answer.js';
import { GithubError, notFound, protectedBranch } from '../errors.js';
import { presentGitCommit } from '../present/commit.js';
import { resolveCommit } from '../revision.js';
import { base64 } from './git-data.js';

const person = z
  .object({ name: z.string().min(1), email: z.string().min(1), date: z.string() })
  .partial({ date: true })
  .transform(({ name, email, date }) => ({ name, email, ...(date === undefined ? {} : { date }) }));
const deleteRequest = z.object({
  message: z.string().min(1),
  sha: z.string(),
  branch: z.string().optional(),
  author: person.optional(),
  committer: person.optional(),
});
const putRequest = deleteRequest.extend({ content: z.base64(), sha: z.string().optional() });

const contents = '/repos/{owner}/{repo}/contents/{path+}';

/** REST API, "Repository contents". */
export const contentRoutes: GithubRoute[] = [
  repositoryRoute(`GET ${contents}`, 'contents:read', read),
  repositoryRoute(`PUT ${contents}`, 'contents:write', (call) => {
    const { content, ...wanted } = call.read(putRequest);
    return change(call, { ...wanted, content: Buffer.from(content, 'base64') });
  }),
  repositoryRoute(`DELETE ${contents}`, 'contents:write', (call) => {
    // octokit sends the parameters of a DELETE in the body, other clients in the query.
    const said = call.body ?? Object.fromEntries(call.query);
    const wanted = call.read(deleteRequest, said);
    return change(call, wanted);
  }),
];

async function read(call: RepositoryCall): Promise<Answer> {
  const ref = call.query.get('ref') ?? 'HEAD';
  const commit = await resolveCommit(call, ref);
  if (commit === undefined) {
    const empty = Object.keys(call.repository.refs).length === 0;
    throw new GithubError(404, empty ? 'This repository is empty.' : `No commit found for the ref ${ref}`);
  }
  const path = call.parameter('path').replace(/^\/+|\/+$/g, '');
  const found = await call.domain.contents.at(call.repository, commit, path);
  if (found === undefined) throw notFound();
  const name = ref === 'HEAD' ? call.repository.defaultBranch : ref;
  if ('folder' in found)
    return { status: 200, body: found.folder.map((entry) => present(call, entry, name)) };
  const { stdout } = await git(call.git.path, ['cat-file', 'blob', found.entry.sha]);
  if (/\bapplication\/vnd\.github\.(v3\.)?raw\b/.test(call.accept)) {
    const headers = { 'content-type': 'application/vnd.github.raw; charset=utf-8' };
    return { status: 200, body: stdout.toString('utf8'), headers };
  }
  const file = { ...present(call, found.entry, name), content: base64(stdout), encoding: 'base64' };
  return { status: 200, body: file };
}

interface Wanted extends z.output<typeof deleteRequest> {
  content?: Buffer;
}

async function change(
  call: RepositoryCall,
  wanted: Omit<Wanted, 'sha'> & { sha?: string | undefined },
): Promise<Answer> {
  const { domain, links, repository } = call;
  const branch = wanted.branch ?? repository.defaultBranch;
  const path = call.parameter('path');
  try {
    const { commit, blob, created } = await domain.contents.change(repository, call.actor.account, {
      ...wanted,
      branch,
      path,
    });
    const entry = {
      path,
      mode: '100644',
      type: 'blob',
      sha: blob ?? '',
      size: wanted.content?.length ?? 0,
    } as const;
    const body = {
      content: blob === undefined ? null : present(call, entry, branch),
      commit: presentGitCommit(domain.core, links, repository, await call.git.commit(commit)),
    };
    return { status: created ? 201 : 200, body };
  } catch (error) {
    if (!(error instanceof Refusal) || error.reason.code !== 'ProtectedBranch') throw error;
    throw new GithubError(409, protectedBranch);
  }
}

function present({ domain, links, repository }: RepositoryCall, entry: TreeEntry, ref: string) {
  const { html, api } = links.repository(domain.core.owner(repository).login, repository.name);
  const path = entry.path.split('/').map(encodeURIComponent).join('/');
  const url = `${api}/contents/${path}?ref=${encodeURIComponent(ref)}`;
  const folder = entry.type === 'tree';
  const page = `${html}/${folder ? 'tree' : 'blob'}/${ref}/${path}`;
  const object = `${api}/git/${entry.type}s/${entry.sha}`;
  return {
    name: entry.path.slice(entry.path.lastIndexOf('/') + 1),
    path: entry.path,
    sha: entry.sha,
    size: entry.size ?? 0,
    type: folder
      ? 'dir'
      : entry.type === 'commit'
        ? 'submodule'
        : entry.mode === '120000'
          ? 'symlink'
          : 'file',
    url,
    html_url: page,
    git_url: object,
    download_url: folder ? null : `${html}/raw/${ref}/${path}`,
    _links: { self: url, git: object, html: page },
  };
}
