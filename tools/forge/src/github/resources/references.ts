import * as z from 'zod';
import { repositoryRoute, type GithubRoute, type RepositoryCall } from '../call.js';
import { notFound } from '../errors.js';
import { nodeId } from '../links.js';
import type { Schemas } from '../schema.js';

const createRequest = z.object({ ref: z.string(), sha: z.string() });
const updateRequest = z.object({ sha: z.string(), force: z.boolean().default(false) });

const git = '/repos/{owner}/{repo}/git';

/** REST API, "Git references". */
export const referenceRoutes: GithubRoute[] = [
  repositoryRoute(`GET ${git}/ref/{ref+}`, 'contents:read', async (call) => {
    const ref = `refs/${call.parameter('ref')}`;
    if (call.repository.refs[ref] === undefined) throw notFound();
    return { status: 200, body: await present(call, ref) };
  }),
  repositoryRoute(`GET ${git}/matching-refs/{ref+}`, 'contents:read', (call) => {
    const prefix = `refs/${call.parameter('ref')}`;
    const names = Object.keys(call.repository.refs).filter((ref) => ref.startsWith(prefix));
    return call.list(names.sort(), (ref) => present(call, ref));
  }),
  repositoryRoute(`POST ${git}/refs`, 'contents:write', async (call) => {
    const { ref, sha } = call.read(createRequest);
    await call.domain.gitData.createReference(call.repository, ref, sha);
    return { status: 201, body: await present(call, ref, sha) };
  }),
  repositoryRoute(`PATCH ${git}/refs/{ref+}`, 'contents:write', async (call) => {
    const ref = `refs/${call.parameter('ref')}`;
    const { sha, force } = call.read(updateRequest);
    await call.domain.gitData.updateReference(call.repository, ref, sha, force);
    return { status: 200, body: await present(call, ref, sha) };
  }),
  repositoryRoute(`DELETE ${git}/refs/{ref+}`, 'contents:write', async (call) => {
    await call.domain.gitData.deleteReference(call.repository, `refs/${call.parameter('ref')}`);
    return { status: 204 };
  }),
];

async function present(call: RepositoryCall, ref: string, sha = call.repository.refs[ref] ?? '') {
  const { domain, links, repository } = call;
  const { api } = links.repository(domain.core.owner(repository).login, repository.name);
  const type = await call.git.run(['cat-file', '-t', sha]);
  return {
    ref,
    node_id: nodeId('Ref', ref),
    url: `${api}/git/${ref}`,
    object: { sha, type, url: `${api}/git/${type}s/${sha}` },
  } satisfies Schemas['git-ref'];
}
