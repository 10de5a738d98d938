import type { Proposal, RouteResult, UnreadEdit } from '@interlock/responding';

/** How a response is understood; what `-o json` prints. */
export interface Explanation {
  response: { name: string; uid: string };
  responder: string;
  /** Why it is another's business. */
  notClaimed?: string;
  event?: EventView;
  config?: ConfigView;
  routes: RouteView[];
  /** The first route that matches. */
  taken?: { index: number; provider: string; repository: string; baseBranch: string };
  gate?: GateView;
  branch?: string;
  plan?: PlanView;
  proposal?: Proposal;
  /** Why there would be no pull request, although a route is taken. */
  refused?: string;
  /** What became of the response until now, in sentences. */
  status: string[];
}

export interface GateView {
  name: string;
  namespace: string;
  open: boolean;
  reason: string;
  isFound: boolean;
  /** What the responder does while it is closed. */
  onClosed: 'Wait' | 'Proceed';
}

export interface EventView {
  name: string;
  /** What it is about, in one line. */
  about?: string;
  /** Why it is not known: nothing is routed without it. */
  missing?: string;
}

export interface ConfigView {
  namespace: string;
  name: string;
  /** Whether this generation is the one that the responder uses; undefined: nobody has said. */
  inUse?: boolean;
  message: string;
  problems: string[];
  /** Nothing can be routed by it, nor by an earlier one. */
  isUnusable: boolean;
}

export interface RouteView extends RouteResult {
  provider: string;
  repository: string;
}

export interface PlanView {
  operations: string[];
  /** Where the file of the subject is, or why that is not known. */
  location?: string;
  files: { path: string; change: string; diff?: string }[];
  /** Edits of files that were not read. Without any, and without files, there is nothing to change. */
  unread: UnreadEdit[];
  /** Whether the files were read; otherwise what is written counts as new. */
  isRead: boolean;
  added: number;
  removed: number;
  digest: string;
}
