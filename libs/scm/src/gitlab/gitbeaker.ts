/* A separate file, so that bundlers put gitbeaker into a separate chunk, which is loaded with the first request to a GitLab. */
export { createRequesterFn } from '@gitbeaker/requester-utils';
export {
  Branches,
  Commits,
  MergeRequestNotes,
  MergeRequests,
  MergeTrains,
  Projects,
  Repositories,
  Users,
} from '@gitbeaker/rest';
