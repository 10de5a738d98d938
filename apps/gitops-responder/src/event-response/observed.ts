import type { EventResponse, EventResponseStatus, SecurityEvent } from '@interlock/api';
import type { EventInput } from '@interlock/kube';
import type { ChangePlan, ProposalFacts, Routing } from '@interlock/responding';

export type ChangeRequest = NonNullable<EventResponseStatus['changeRequest']>;

/** The gate of the route that is taken. */
export interface ObservedGate {
  name: string;
  open: boolean;
  /** Why it is as it is, and until when, for people. */
  reason: string;
}

/** What forbids to open a pull request now; the plan of it can be made. */
export interface Hold {
  reason: string;
  message: string;
  /** When to check again; absent: when something that is watched changes. */
  requeueAfterMs?: number;
}

/** What is known of a response, apart from what an attempt meets. */
export interface Observed {
  response: EventResponse;
  /** --responder-name */
  responderName: string;
  /** --max-attempts */
  maxAttempts: number;
  /** --poll-interval: how often an open pull request is looked at; milliseconds. */
  followEveryMs: number;
  /** Uniform in [0, 1): spreads delays. */
  random: number;
  event?: SecurityEvent | undefined;
  /** The response names an event that does not exist; a sentence. */
  missingEvent?: string | undefined;
  /** Absent: there is no configuration that can be used. */
  config?: { name: string; generation: number; routing: Routing } | undefined;
  gate?: ObservedGate | undefined;
  /** The gate of the route for templates: one that is not there is closed. */
  proposalGate?: ProposalFacts['gate'];
  /** Open pull requests of the route that belong to other responses. */
  openRequests?: number | undefined;
  /** Another response proposes the same change, or has proposed it and was rejected. */
  duplicate?: Hold | undefined;
  /** When the credentials that an attempt needs last changed, in milliseconds since the epoch. */
  credentialsChangedAt?: number | undefined;
}

/** A pull request as the SCM shows it. */
export interface SeenRequest extends ChangeRequest {
  state: 'open' | 'merged' | 'closed';
}

/** How an attempt ended. */
export type AttemptResult =
  /** The change is proposed: by a pull request that is open, or (`recorded`) by the status alone. */
  | { type: 'submitted'; request: SeenRequest; plan?: ChangePlan; recorded?: boolean }
  | { type: 'nothingToChange'; plan: ChangePlan }
  /** The plan is made, and nothing was sent: see {@link Decision}. */
  | { type: 'planned'; plan: ChangePlan }
  /** Another response proposes the same change. */
  | { type: 'duplicate'; plan: ChangePlan; hold: Hold }
  /** A pull request of the response was merged or closed by somebody. */
  | { type: 'settled'; request: SeenRequest }
  /** The branch has commits that Interlock did not make. */
  | { type: 'foreignCommits'; branch: string }
  /** It was looked for a pull request, and there is none. */
  | { type: 'absent' }
  /**
   * `uncertain`: a pull request of the response may be open that nobody knows of. It was not looked for,
   * though there were attempts before, or what became of the request to open it is not known.
   */
  | { type: 'failed'; error: unknown; uncertain: boolean };

/**
 * In each, the pull request of the response is looked for first; where there is one, it is the result. Then
 * `submit` proposes the change, `plan` only finds out what it is, `find` does nothing, and `leave` removes its branch.
 * `find` and `leave` are about the repository of `status.route`: the first is for an attempt that was interrupted when
 * there is none left, the second for a response that is cancelled, or not routed there any more.
 */
export type AttemptMode = 'submit' | 'plan' | 'find' | 'leave';

export type Decision =
  /** Not ours, or nothing is left to do. */
  | { type: 'none' }
  /** Nothing now; `requeueAfterMs` absent: until something that is watched changes. */
  | { type: 'wait'; status: EventResponseStatus; requeueAfterMs?: number | undefined }
  /** Write the status, then try, then write the status of `settle`. */
  | { type: 'attempt'; mode: AttemptMode; status: EventResponseStatus }
  /** Look at the pull request, write the status of `follow`, and again after `everyMs`. */
  | { type: 'follow'; everyMs: number }
  /** Close the pull request with a comment, then write the status of `closed` or `notClosed`. */
  | { type: 'close' }
  /** Write a final status. */
  | { type: 'finish'; status: EventResponseStatus };

/** What came of applying a decision, and the events for what happened on the way. */
export type ResponseOutcome = { happened?: readonly EventInput[] | undefined } & (
  | { type: 'attempted'; mode: AttemptMode; result: AttemptResult }
  /** Others took the last place of the route after it was observed: nothing was done, and it is decided anew. */
  | { type: 'tooLate' }
  /** The pull request of `follow`, as it is. */
  | { type: 'read'; request: SeenRequest }
  | { type: 'notRead'; error: unknown }
  /** The pull request of `close`, as it is after it: somebody may have merged it before. */
  | { type: 'closed'; request: SeenRequest }
  | { type: 'notClosed'; error: unknown }
);
