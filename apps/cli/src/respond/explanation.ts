import type { Proposal, RouteResult, UndecidedRoute, UnreadEdit } from '@interlock/responding';

/** How a response is interpreted; this is the data that `-o json` prints. */
export interface Explanation {
  response: { name: string; uid: string };
  responder: string;
  /** Why the response is for another responder. */
  notClaimed?: string;
  event?: EventView;
  config?: ConfigView;
  routes: RouteView[];
  /** The first route that matches. */
  taken?: { index: number; provider: string; repository: string; baseBranch: string };
  /** The route whose expression takes too many steps, so that no later one is taken. */
  undecided?: UndecidedRoute;
  gate?: GateView;
  branch?: string;
  plan?: PlanView;
  proposal?: Proposal;
  /** Why there would be no pull request although a route is selected. */
  refused?: string | undefined;
  /** The progress of the response so far, in sentences. */
  status: string[];
}

export interface GateView {
  name: string;
  namespace: string;
  open: boolean;
  reason: string;
  isFound: boolean;
  /** What the responder does while the gate is closed. */
  onClosed: 'Wait' | 'Proceed';
}

export interface EventView {
  name: string;
  /** Summary of the event in one line. */
  about?: string;
  /** Why the event is not known; nothing is routed without it. */
  missing?: string;
}

export interface ConfigView {
  namespace: string;
  name: string;
  /** Whether the responder uses this generation; undefined if that is not known. */
  inUse?: boolean;
  message: string;
  problems: string[];
  /** Whether neither this generation nor an earlier one can be used for routing. */
  isUnusable: boolean;
}

export interface RouteView extends RouteResult {
  provider: string;
  repository: string;
}

export interface PlanView {
  operations: string[];
  /** The location of the file of the subject, or the reason why it is unknown. */
  location?: string;
  files: { path: string; change: string; diff?: string }[];
  /** Edits of files that were not read. Without edits and files, there is nothing to change. */
  unread: UnreadEdit[];
  /** Whether the files were read; otherwise all written content counts as new. */
  isRead: boolean;
  added: number;
  removed: number;
  digest: string;
}
