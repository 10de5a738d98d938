import type { NoteSchema } from '@gitbeaker/rest';
import * as z from 'zod';
import type { Comment } from '../../domain/model.js';
import type { Subset } from '../../rest/subset.js';
import { projectRoute, type GitlabRoute, type ProjectCall } from '../call.js';
import { presentUser } from '../present/user.js';
import { pullOf } from './merge-requests.js';

const noteRequest = z.object({ body: z.string().min(1).max(1_000_000) });
const notes = '/projects/{id}/merge_requests/{iid}/notes';

/** REST API, "Notes" of merge requests, newest first by default. */
export const noteRoutes: GitlabRoute[] = [
  projectRoute(`GET ${notes}`, 'pull_requests:read', (call) => {
    const comments = call.domain.comments.of(call.repository, pullOf(call));
    if (call.query.get('sort') !== 'asc') comments.reverse();
    return call.list(comments, (comment) => presentNote(call, comment));
  }),
  projectRoute(`POST ${notes}`, 'pull_requests:write', (call) => {
    const { body } = call.read(noteRequest);
    const comment = call.domain.comments.create(call.repository, call.actor.account, pullOf(call), body);
    return { status: 201, body: presentNote(call, comment) };
  }),
];

function presentNote({ domain, links, repository }: ProjectCall, comment: Comment) {
  return {
    id: comment.id,
    body: comment.body,
    author: presentUser(links, domain.core.account(comment.authorId)),
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    system: false,
    noteable_type: 'MergeRequest' as const,
    noteable_iid: comment.issueNumber,
    project_id: repository.id,
  } satisfies Subset<NoteSchema>;
}
