import * as z from 'zod';
import type { CommitStatus, StatusState } from '../../domain/model.js';
import { isFinished, latestStatuses, statusesOf } from '../../domain/statuses.js';
import { projectRoute, type GitlabRoute, type ProjectCall } from '../call.js';
import { GitlabError, notFound } from '../errors.js';
import { presentStatus } from '../present/status.js';

const states = {
  pending: 'pending',
  running: 'running',
  success: 'success',
  failed: 'failure',
  canceled: 'error',
} as const;
type State = keyof typeof states;

const request = z.object({
  state: z.enum(['pending', 'running', 'success', 'failed', 'canceled']),
  name: z.string().min(1).max(255).optional(),
  context: z.string().min(1).max(255).optional(),
  target_url: z.string().optional(),
  description: z.string().optional(),
});

/** REST API, "Commits: commit status". */
export const statusRoutes: GitlabRoute[] = [
  projectRoute('POST /projects/{id}/statuses/{sha}', 'statuses:write', async (call) => {
    const wanted = call.read(request);
    const sha = await call.commitOf(call.parameter('sha'));
    if (sha === undefined) throw notFound('Commit');
    const ref = await refOf(call, sha);
    if (ref === undefined) throw notFound('References for commit');
    if (wanted.target_url !== undefined) requireUrl(wanted.target_url);
    const status = await post(call, sha, wanted.name ?? wanted.context ?? 'default', {
      state: wanted.state,
      description: wanted.description,
      targetUrl: wanted.target_url,
    });
    return { status: 201, body: presentStatus(call.domain.core, call.links, ref, status) };
  }),
  projectRoute('GET /projects/{id}/repository/commits/{sha}/statuses', 'statuses:read', async (call) => {
    const { repository, query, domain, links } = call;
    const sha = await call.commitOf(call.parameter('sha'));
    if (sha === undefined) throw notFound('Commit');
    const ref = (await refOf(call, sha)) ?? '';
    const all = ['true', '1'].includes(query.get('all') ?? '');
    const name = query.get('name');
    const statuses = (all ? statusesOf : latestStatuses)(repository, sha)
      .filter(({ context }) => name === null || context === name)
      .sort((a, b) => a.id - b.id);
    return call.list(query.get('sort') === 'desc' ? statuses.reverse() : statuses, (status) =>
      presentStatus(domain.core, links, ref, status),
    );
  }),
];

/** Changes an unfinished status of the same author. If that status is finished, a new status is added. */
async function post(
  { domain, repository, actor }: ProjectCall,
  sha: string,
  context: string,
  wanted: { state: State; description: string | undefined; targetUrl: string | undefined },
): Promise<CommitStatus> {
  const current = statusesOf(repository, sha).find(
    (status) => status.context === context && status.creatorId === actor.account.id && !isFinished(status),
  );
  const state = states[wanted.state];
  if (current === undefined) {
    const { description = null, targetUrl = null } = wanted;
    return domain.statuses.create(repository, actor.account, { sha, context, state, description, targetUrl });
  }
  refuseTransition(current.state, state);
  const { description = current.description, targetUrl = current.targetUrl } = wanted;
  domain.statuses.update(repository, actor.account, current, { state, description, targetUrl });
  return current;
}

/** Refuses an invalid transition, in which case nothing changes, not even the description. */
function refuseTransition(from: StatusState, to: StatusState): void {
  const event = to === 'pending' ? 'enqueue' : to === 'running' && from === 'running' ? 'run' : undefined;
  if (event === undefined) return;
  const why = `Reason(s): Status cannot transition via "${event}"`;
  throw new GitlabError(400, `Cannot transition status via :${event} from :${from} (${why})`);
}

function requireUrl(url: string): void {
  if (!/^https?:\/\//i.test(url)) {
    throw new GitlabError(400, { target_url: ['is blocked: Only allowed schemes are http, https'] });
  }
  if (url.length > 255) {
    throw new GitlabError(400, { target_url: ['is too long (maximum is 255 characters)'] });
  }
}

/** Returns the first branch that contains the commit. */
async function refOf({ git }: ProjectCall, sha: string): Promise<string | undefined> {
  const output = await git.run([
    'for-each-ref',
    '--contains',
    sha,
    '--format=%(refname:lstrip=2)',
    'refs/heads/',
  ]);
  return output.split('\n').find((name) => name !== '');
}
