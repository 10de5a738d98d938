import * as z from 'zod';
import { projectRoute, type GitlabRoute, type ProjectCall } from '../call.js';
import { GitlabError, notFound } from '../errors.js';
import { presentBranch, presentCommit } from '../present/commit.js';

const prefix = '/projects/{id}/repository';
const newBranch = z.object({ branch: z.string().min(1), ref: z.string().min(1) });
const compareRequest = z.object({ from: z.string(), to: z.string() });

/** REST API, "Branches", "Commits", "Repositories". */
export const repositoryRoutes: GitlabRoute[] = [
  projectRoute(`GET ${prefix}/branches`, 'contents:read', (call) =>
    call.list(
      Object.keys(call.repository.refs).filter((ref) => ref.startsWith('refs/heads/')),
      (ref) => branch(call, ref.slice('refs/heads/'.length)),
    ),
  ),
  projectRoute(`POST ${prefix}/branches`, 'contents:write', async (call) => {
    const { branch: name, ref } = call.read(newBranch);
    const sha = await call.commitOf(ref);
    if (sha === undefined) throw new GitlabError(400, `Invalid reference name: ${ref}`);
    if (call.repository.refs[`refs/heads/${name}`] !== undefined) {
      throw new GitlabError(400, 'Branch already exists');
    }
    await call.git.run(['update-ref', `refs/heads/${name}`, sha]);
    await call.domain.references.sync(call.repository, call.actor.account);
    return { status: 201, body: await branch(call, name) };
  }),
  projectRoute(`GET ${prefix}/branches/{branch}`, 'contents:read', async (call) => ({
    status: 200,
    body: await branch(call, call.parameter('branch')),
  })),
  projectRoute(`DELETE ${prefix}/branches/{branch}`, 'contents:write', async (call) => {
    const name = call.parameter('branch');
    const sha = call.repository.refs[`refs/heads/${name}`];
    if (sha === undefined) throw notFound('Branch');
    await call.git.updateRef(`refs/heads/${name}`, undefined, sha);
    return { status: 204 };
  }),
  projectRoute(`GET ${prefix}/commits/{sha}`, 'contents:read', async (call) => {
    const sha = await call.commitOf(call.parameter('sha'));
    if (sha === undefined) throw notFound('Commit');
    return { status: 200, body: presentCommit(htmlOf(call), await call.git.commit(sha)) };
  }),
  projectRoute(`GET ${prefix}/merge_base`, 'contents:read', async (call) => {
    const [one, two] = await commitsOf(call, call.query.getAll('refs[]'));
    if (one === undefined || two === undefined) throw new GitlabError(400, 'Provide at least 2 refs');
    const base = await call.git.mergeBase(one, two);
    if (base === undefined) throw notFound('Merge Base');
    return { status: 200, body: presentCommit(htmlOf(call), await call.git.commit(base)) };
  }),
  projectRoute(`GET ${prefix}/compare`, 'contents:read', async (call) => {
    const { from, to } = call.read(compareRequest);
    const [a, b] = await Promise.all([call.commitOf(from), call.commitOf(to)]);
    if (a === undefined || b === undefined) throw notFound('Ref');
    const commits = await call.git.between(a, b, { topological: true });
    const html = htmlOf(call);
    return {
      status: 200,
      body: {
        commit: presentCommit(html, await call.git.commit(b)),
        commits: commits.map((commit) => presentCommit(html, commit)),
        compare_timeout: false,
        compare_same_ref: a === b,
        web_url: `${html}/-/compare/${from}...${to}`,
      },
    };
  }),
];

/** @throws GitlabError 400 for a name that does not refer to a commit. */
async function commitsOf(call: ProjectCall, refs: readonly string[]): Promise<string[]> {
  const commits = await Promise.all(refs.map((ref) => call.commitOf(ref)));
  const unknown = refs.filter((_, index) => commits[index] === undefined);
  if (unknown.length === 0) return commits.filter((commit) => commit !== undefined);
  throw new GitlabError(400, `Could not find ref${unknown.length > 1 ? 's' : ''}: ${unknown.join(', ')}`);
}

async function branch(call: ProjectCall, name: string) {
  const sha = call.repository.refs[`refs/heads/${name}`];
  if (sha === undefined) throw notFound('Branch');
  return presentBranch(htmlOf(call), call.repository, name, await call.git.commit(sha));
}

function htmlOf({ domain, links, repository }: ProjectCall): string {
  return links.project(domain.core, repository).html;
}
