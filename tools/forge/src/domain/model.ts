/** The state of the forge in addition to the Git repositories, as plain JSON. */
export interface ForgeState {
  version: 1;
  /** The last assigned id. */
  lastId: number;
  accounts: Account[];
  apps: App[];
  installations: Installation[];
  tokens: Token[];
  repositories: Repository[];
}

export interface Account {
  id: number;
  login: string;
  type: 'User' | 'Organization' | 'Bot';
  name: string;
  email: string;
  createdAt: string;
}

export const resources = [
  'administration',
  'checks',
  'contents',
  'issues',
  'metadata',
  'pull_requests',
  'repository_hooks',
  'statuses',
] as const;
export type Resource = (typeof resources)[number];
export type Level = 'read' | 'write';
export type Permissions = Partial<Record<Resource, Level>>;

export interface App {
  id: number;
  clientId: string;
  slug: string;
  name: string;
  ownerId: number;
  /** The account of the App, `<slug>[bot]`. */
  botId: number;
  publicKeyPem: string;
  permissions: Permissions;
  events: string[];
  hook?: Hook | undefined;
  createdAt: string;
}

export interface Installation {
  id: number;
  appId: number;
  accountId: number;
  /** Ids of repositories; if absent, all repositories of the account. */
  repositoryIds?: number[] | undefined;
  permissions: Permissions;
  createdAt: string;
}

/** A token of a user, or of an installation of an App, which may be restricted. */
export interface Token {
  value: string;
  userId?: number;
  installationId?: number;
  repositoryIds?: number[] | undefined;
  permissions?: Permissions | undefined;
  /** Milliseconds since the epoch. */
  expiresAt?: number;
}

export type MergeMethod = 'merge' | 'squash' | 'rebase';
export type Role = 'read' | 'write' | 'admin';

export interface Repository {
  id: number;
  ownerId: number;
  name: string;
  description: string;
  defaultBranch: string;
  archived: boolean;
  mergeMethods: MergeMethod[];
  /** GitLab only: whether a merge requires a successful pipeline of the head. */
  pipelinesMustSucceed?: boolean;
  /** GitLab only: whether merge trains merge the merge requests. */
  mergeTrains?: boolean;
  deleteBranchOnMerge: boolean;
  createdAt: string;
  updatedAt: string;
  pushedAt: string;
  collaborators: { accountId: number; role: Role }[];
  /** The references when they were last read. */
  refs: Record<string, string>;
  /** The last assigned number of an issue or a pull request. */
  lastNumber: number;
  pulls: PullRequest[];
  labels: Label[];
  comments: Comment[];
  statuses: CommitStatus[];
  checkSuites: CheckSuite[];
  checkRuns: CheckRun[];
  protections: Record<string, Protection>;
  hooks: Hook[];
}

export interface PullRequest {
  id: number;
  number: number;
  authorId: number;
  title: string;
  body: string | null;
  draft: boolean;
  state: 'open' | 'closed';
  head: { ref: string; sha: string };
  base: { ref: string; sha: string };
  labels: string[];
  /** Requested reviewers who have not reviewed yet. */
  reviewerIds: number[];
  reviews?: Review[];
  createdAt: string;
  updatedAt: string;
  closedAt?: string;
  closedById?: number;
  merge?: { at: string; byId: number; sha: string };
  /** Its entry in the merge queue of its base, with the queued head. */
  queued?: { order: number; byId: number; sha: string; method: MergeMethod };
  /** The trial merge of the last requested pair of commits. */
  trial?: { head: string; base: string; sha: string | null };
}

export interface Review {
  id: number;
  authorId: number;
  state: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED';
  body: string;
  /** The head that was reviewed. */
  sha: string;
  submittedAt: string;
}

export interface Label {
  id: number;
  name: string;
  color: string;
  description: string | null;
}

export interface Comment {
  id: number;
  issueNumber: number;
  authorId: number;
  body: string;
  createdAt: string;
  updatedAt: string;
}

/** GitHub has no `running`; GitLab calls `error` canceled. */
export type StatusState = 'error' | 'failure' | 'pending' | 'running' | 'success';

export interface CommitStatus {
  id: number;
  sha: string;
  context: string;
  state: StatusState;
  description: string | null;
  targetUrl: string | null;
  creatorId: number;
  createdAt: string;
}

export interface CheckSuite {
  id: number;
  appId: number;
  sha: string;
  createdAt: string;
  updatedAt: string;
}

export const conclusions = [
  'action_required',
  'cancelled',
  'failure',
  'neutral',
  'success',
  'skipped',
  'timed_out',
] as const;
export type Conclusion = (typeof conclusions)[number];
export type CheckRunStatus = 'queued' | 'in_progress' | 'completed' | 'waiting' | 'requested' | 'pending';

export interface CheckRun {
  id: number;
  suiteId: number;
  appId: number;
  sha: string;
  name: string;
  status: CheckRunStatus;
  conclusion: Conclusion | null;
  startedAt: string | null;
  completedAt: string | null;
  detailsUrl: string | null;
  externalId: string;
  output: { title: string | null; summary: string | null; text: string | null };
}

export interface Protection {
  /** Contexts of statuses and names of check runs that a merge requires; if absent, none. */
  requiredStatusChecks?: { strict: boolean; contexts: string[] } | undefined;
  /** Number of approving reviews that a merge requires; if absent, none. */
  requiredApprovals?: number | undefined;
  /** Whether pull requests are merged only by a queue. */
  mergeQueue?: boolean | undefined;
  /** Whether pushes that are not a merge of a pull request are refused. */
  blockPushes: boolean;
}

export interface Hook {
  id: number;
  /** The protocol that creates its payloads. */
  protocol: 'github' | 'gitlab' | 'gitea' | 'forgejo';
  active: boolean;
  events: string[];
  url: string;
  contentType: 'json' | 'form';
  secret: string;
  /** GitLab only: `whsec_` and the key in base64 with which deliveries are signed. */
  signingToken?: string | undefined;
  createdAt: string;
  updatedAt: string;
}
