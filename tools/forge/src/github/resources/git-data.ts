import * as z from 'zod';
import { git as runGit } from '../../git/run.js';
import { listTree } from '../../git/tree.js';
import { repositoryRoute, type GithubRoute, type RepositoryCall } from '../call.js';
import { GithubError, notFound } from '../errors.js';
import { nodeId } from '../links.js';
import { presentGitCommit } from '../present/commit.js';
import type { Subset } from '../../rest/subset.js';
import type { Schemas } from '../schema.js';

const sha = z.string().regex(/^[0-9a-f]{40}$/);
const person = z.object({ name: z.string().min(1), email: z.string().min(1), date: z.string().optional() });
const createCommit = z.object({
  message: z.string(),
  tree: sha,
  parents: z.array(sha).default([]),
  author: person.optional(),
  committer: person.partial().optional(),
});
const createTree = z.object({
  base_tree: z.string().optional(),
  tree: z
    .array(
      z.object({
        path: z.string().min(1),
        mode: z.enum(['100644', '100755', '040000', '160000', '120000']),
        type: z.enum(['blob', 'tree', 'commit']).optional(),
        sha: sha.nullish(),
        content: z.string().optional(),
      }),
    )
    .max(10_000),
});
const createBlob = z.object({ content: z.string(), encoding: z.enum(['utf-8', 'base64']).default('utf-8') });

/** Maximum number of entries of a tree that are listed. */
const maxEntries = 100_000;

const git = '/repos/{owner}/{repo}/git';

/** REST API, "Git commits", "Git trees", "Git blobs". */
export const gitDataRoutes: GithubRoute[] = [
  repositoryRoute(`GET ${git}/commits/{commit_sha}`, 'contents:read', async (call) => {
    const commit = await objectOf(call, 'commit_sha', 'commit');
    return { status: 200, body: await presented(call, commit) };
  }),
  repositoryRoute(`POST ${git}/commits`, 'contents:write', async (call) => {
    const { message, tree, parents, author, committer } = call.read(createCommit);
    const wanted = { message, tree, parents, author: dated(author), committer: dated(committer) };
    const commit = await call.domain.gitData.createCommit(call.repository, call.actor.account, wanted);
    return { status: 201, body: await presented(call, commit) };
  }),
  repositoryRoute(`GET ${git}/trees/{tree_sha+}`, 'contents:read', async (call) => {
    const name = call.parameter('tree_sha');
    const branch = call.repository.refs[`refs/heads/${name}`];
    const tree = await call.git.resolve(branch ?? name, 'tree');
    if (tree === undefined) throw notFound();
    return { status: 200, body: await presentTree(call, tree, call.query.has('recursive')) };
  }),
  repositoryRoute(`POST ${git}/trees`, 'contents:write', async (call) => {
    const { base_tree: base, tree: entries } = call.read(createTree);
    const changes = entries.map(({ path, mode, sha: object, content }) => ({
      path,
      mode,
      ...(object === undefined ? {} : { sha: object }),
      ...(content === undefined ? {} : { content }),
    }));
    const tree = await call.domain.gitData.createTree(call.repository, { base, changes });
    return { status: 201, body: await presentTree(call, tree, false) };
  }),
  repositoryRoute(`GET ${git}/blobs/{file_sha}`, 'contents:read', async (call) => {
    const blob = await objectOf(call, 'file_sha', 'object');
    const { stdout, code } = await runGit(call.git.path, ['cat-file', 'blob', blob], { allow: [128] });
    if (code !== 0) throw notFound();
    return {
      status: 200,
      body: {
        sha: blob,
        node_id: nodeId('Blob', blob),
        size: stdout.length,
        url: `${apiOf(call)}/git/blobs/${blob}`,
        content: base64(stdout),
        encoding: 'base64',
      } satisfies Schemas['blob'],
    };
  }),
  repositoryRoute(`POST ${git}/blobs`, 'contents:write', async (call) => {
    const { content, encoding } = call.read(createBlob);
    const bytes = Buffer.from(content, encoding === 'base64' ? 'base64' : 'utf8');
    const blob = await call.git.createBlob(bytes);
    return { status: 201, body: { sha: blob, url: `${apiOf(call)}/git/blobs/${blob}` } };
  }),
];

/** Returns base64 in lines of 60 characters, as GitHub does. */
export function base64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/(.{60})(?=.)/g, '$1\n') + '\n';
}

/** Returns the date in the format of git; the default is the current time. */
function dated<T extends { date?: string | undefined }>(value: T | undefined) {
  if (value === undefined) return undefined;
  const given = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(given) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

/** @throws GithubError 404 for an invalid id, or an object of another type. */
async function objectOf(call: RepositoryCall, name: string, type: 'commit' | 'object'): Promise<string> {
  const object = call.parameter(name);
  if (!sha.safeParse(object).success)
    throw new GithubError(422, 'The sha parameter must be exactly 40 characters and contain only [0-9a-f].');
  if ((await call.git.resolve(object, type)) !== object) throw notFound();
  return object;
}

async function presented(call: RepositoryCall, commit: string) {
  return presentGitCommit(call.domain.core, call.links, call.repository, await call.git.commit(commit));
}

async function presentTree(call: RepositoryCall, tree: string, recursive: boolean) {
  const api = apiOf(call);
  const entries = await listTree(call.git, tree, { recursive });
  return {
    sha: tree,
    url: `${api}/git/trees/${tree}`,
    tree: entries.slice(0, maxEntries).map(({ path, mode, type, sha: object, size }) => ({
      path,
      mode,
      type,
      sha: object,
      ...(size === undefined ? {} : { size }),
      ...(type === 'commit' ? {} : { url: `${api}/git/${type}s/${object}` }),
    })),
    truncated: entries.length > maxEntries,
  } satisfies Subset<Schemas['git-tree']>;
}

function apiOf({ domain, links, repository }: RepositoryCall): string {
  return links.repository(domain.core.owner(repository).login, repository.name).api;
}
