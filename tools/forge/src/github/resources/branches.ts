import * as z from 'zod';
import type { Protection } from '../../domain/model.js';
import { branchOf } from '../../domain/pulls.js';
import { repositoryRoute, type GithubRoute, type RepositoryCall } from '../call.js';
import { GithubError } from '../errors.js';
import { presentCommit } from '../present/commit.js';
import type { Subset } from '../../rest/subset.js';
import type { Schemas } from '../schema.js';

const protectionRequest = z.object({
  required_status_checks: z
    .object({
      strict: z.boolean().default(false),
      contexts: z.array(z.string()).optional(),
      checks: z.array(z.object({ context: z.string() })).optional(),
    })
    .nullable(),
  required_pull_request_reviews: z.object({}).nullable(),
});

const branches = '/repos/{owner}/{repo}/branches';
const one = `${branches}/{branch+}`;

/** REST API, "Branches" and "Protected branches". */
export const branchRoutes: GithubRoute[] = [
  repositoryRoute(`GET ${branches}`, 'contents:read', (call) => {
    const wanted = call.query.get('protected');
    const names = Object.keys(call.repository.refs)
      .filter((ref) => ref.startsWith('refs/heads/'))
      .map((ref) => ref.slice('refs/heads/'.length))
      .filter((name) => wanted === null || String(protectionOf(call, name) !== undefined) === wanted);
    return call.list(names.sort(), (name) => presentShort(call, name));
  }),
  repositoryRoute(`GET ${one}`, 'contents:read', async (call) => {
    const name = nameOf(call);
    const short = presentShort(call, name);
    const commit = await call.git.commit(short.commit.sha);
    return {
      status: 200,
      body: {
        ...short,
        commit: presentCommit(call.domain.core, call.links, call.repository, commit),
        _links: { self: `${apiOf(call)}/branches/${name}`, html: `${htmlOf(call)}/tree/${name}` },
        protection: {
          enabled: short.protected,
          required_status_checks: {
            enforcement_level: short.protected ? 'everyone' : 'off',
            contexts: protectionOf(call, name)?.requiredStatusChecks?.contexts ?? [],
          },
        },
      },
    };
  }),
  repositoryRoute(`GET ${one}/protection`, 'administration:read', (call) => ({
    status: 200,
    body: presentProtection(call, nameOf(call)),
  })),
  repositoryRoute(`PUT ${one}/protection`, 'administration:write', (call) => {
    const name = nameOf(call);
    const { required_status_checks: checks, required_pull_request_reviews: reviews } =
      call.read(protectionRequest);
    const contexts = [...(checks?.contexts ?? []), ...(checks?.checks ?? []).map(({ context }) => context)];
    call.repository.protections[name] = {
      // Required reviews mean that nothing can be pushed without a pull request.
      blockPushes: reviews !== null,
      requiredStatusChecks:
        checks === null ? undefined : { strict: checks.strict, contexts: [...new Set(contexts)] },
    };
    return { status: 200, body: presentProtection(call, name) };
  }),
  repositoryRoute(`DELETE ${one}/protection`, 'administration:write', (call) => {
    const name = nameOf(call);
    presentProtection(call, name);
    const { [name]: _gone, ...rest } = call.repository.protections;
    call.repository.protections = rest;
    return { status: 204 };
  }),
];

/** @throws GithubError 404 */
function nameOf(call: RepositoryCall): string {
  const name = call.parameter('branch');
  if (branchOf(call.repository, name) === undefined) throw new GithubError(404, 'Branch not found');
  return name;
}

function protectionOf({ repository }: RepositoryCall, name: string): Protection | undefined {
  return repository.protections[name];
}

function presentShort(call: RepositoryCall, name: string) {
  const sha = branchOf(call.repository, name) ?? '';
  return {
    name,
    commit: { sha, url: `${apiOf(call)}/commits/${sha}` },
    protected: protectionOf(call, name) !== undefined,
  } satisfies Subset<Schemas['short-branch']>;
}

/** @throws GithubError 404 */
function presentProtection(call: RepositoryCall, name: string) {
  const protection = protectionOf(call, name);
  if (protection === undefined) throw new GithubError(404, 'Branch not protected');
  const url = `${apiOf(call)}/branches/${name}/protection`;
  const checks = protection.requiredStatusChecks;
  return {
    url,
    ...(checks === undefined
      ? {}
      : {
          required_status_checks: {
            url: `${url}/required_status_checks`,
            strict: checks.strict,
            contexts: checks.contexts,
            contexts_url: `${url}/required_status_checks/contexts`,
            checks: checks.contexts.map((context) => ({ context, app_id: null })),
          },
        }),
    ...(protection.blockPushes
      ? {
          required_pull_request_reviews: {
            url: `${url}/required_pull_request_reviews`,
            dismiss_stale_reviews: false,
            require_code_owner_reviews: false,
            required_approving_review_count: 0,
          },
        }
      : {}),
    enforce_admins: { url: `${url}/enforce_admins`, enabled: true },
    allow_force_pushes: { enabled: false },
    allow_deletions: { enabled: false },
  } satisfies Subset<Schemas['branch-protection']>;
}

function apiOf({ domain, links, repository }: RepositoryCall): string {
  return links.repository(domain.core.owner(repository).login, repository.name).api;
}

function htmlOf({ domain, links, repository }: RepositoryCall): string {
  return links.repository(domain.core.owner(repository).login, repository.name).html;
}
