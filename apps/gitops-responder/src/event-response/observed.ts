import type { EventResponse, EventResponseStatus, SecurityEvent } from '@interlock/api';
import type { ChangePlan, Routing } from '@interlock/responding';

type ChangeRequest = NonNullable<EventResponseStatus['changeRequest']>;

/** The gate of the chosen route. */
export interface ObservedGate {
  name: string;
  open: boolean;
  /** Why it has this state, and until when, as a message. */
  reason: string;
}

/** A reason against opening a pull request now; the change can still be planned. */
export interface Hold {
  reason: string;
  message: string;
  /** When to check again; absent if a watched object triggers it. */
  requeueAfterMs?: number;
}

/** The observed state of a response, without the results of attempts. */
export interface Observed {
  response: EventResponse;
  /** --responder-name */
  responderName: string;
  /** --config-namespace */
  configNamespace: string;
  /** --max-attempts */
  maxAttempts: number;
  /** --poll-interval: how often an open pull request is read; milliseconds. */
  followEveryMs: number;
  /** Uniform in [0, 1): spreads delays. */
  random: number;
  event?: SecurityEvent | undefined;
  /** A sentence which states that the event that the response names does not exist. */
  missingEvent?: string | undefined;
  /** Absent if no valid configuration exists. */
  config?: { name: string; generation: number; routing: Routing } | undefined;
  gate?: ObservedGate | undefined;
  /** Open pull requests of the route that belong to other responses. */
  openRequests?: number | undefined;
  /** A hold because another response proposes the same change, or proposed it and a user rejected it. */
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
  /** The change is proposed, by an open pull request or (`recorded`) in the status only. */
  | { type: 'submitted'; request: SeenRequest; plan?: ChangePlan; recorded?: boolean }
  | { type: 'nothingToChange'; plan: ChangePlan }
  /** The plan is made, and nothing was sent: see {@link Decision}. */
  | { type: 'planned'; plan: ChangePlan }
  /** The gate has closed in the meantime, or another response proposes the same change. */
  | { type: 'held'; plan: ChangePlan; hold: Hold }
  /** A pull request of the response was merged or closed by a user. */
  | { type: 'settled'; request: SeenRequest }
  /** The branch has commits that Interlock did not make. */
  | { type: 'foreignCommits'; branch: string }
  /** No pull request was found. */
  | { type: 'absent' }
  /**
   * `uncertain`: an unknown pull request of the response may be open. There were earlier attempts and it was not looked up, or
   * the outcome of the request to open it is not known.
   */
  | { type: 'failed'; error: unknown; uncertain: boolean };

/**
 * In each mode, the pull request of the response is looked up first; if there is one, it is the result. Otherwise `submit` proposes
 * the change, `plan` only plans it, `find` does nothing, and `leave` removes its branch. `find` and `leave` use the repository of
 * `status.route`: `find` is used after an interrupted last attempt, and `leave` for a response that is cancelled or no longer
 * routed there.
 */
export type AttemptMode = 'submit' | 'plan' | 'find' | 'leave';

export type Decision =
  /** The response is for another responder, or nothing is left to do. */
  | { type: 'none' }
  /** Does nothing now. Without `requeueAfterMs`, it waits until a watched object changes. */
  | { type: 'wait'; status: EventResponseStatus; requeueAfterMs?: number | undefined }
  /** Writes the status, makes the attempt, then writes the status of `settle`. */
  | { type: 'attempt'; mode: AttemptMode; status: EventResponseStatus }
  /** Reads the pull request, writes the status of `follow`, and repeats after `everyMs`. */
  | { type: 'follow'; everyMs: number }
  /** Closes the pull request with a comment, then writes the status of `closed` or `notClosed`. */
  | { type: 'close' }
  /** Writes a final status. */
  | { type: 'finish'; status: EventResponseStatus };

/** The outcome of applying a decision, and what the SCM refused without an effect on that outcome. */
export type ResponseOutcome = { refused?: readonly string[] | undefined } & (
  | { type: 'attempted'; mode: AttemptMode; result: AttemptResult }
  /** Other responses took the last place of the route after it was observed: nothing was done, and the decision is repeated. */
  | { type: 'tooLate' }
  /** The current state of the pull request of `follow`. */
  | { type: 'read'; request: SeenRequest }
  | { type: 'notRead'; error: unknown }
  /** The repository does not have the pull request of `follow` any more. */
  | { type: 'missing' }
  /** The state of the pull request after `close`: a user may have merged it before. */
  | { type: 'closed'; request: SeenRequest }
  | { type: 'notClosed'; error: unknown }
);
