import type { Api, JournalEntry, Kind } from '../journal.js';
import type { Reply, Request } from './message.js';

/** The operation of a request, determined before it is executed. */
export interface Operation {
  api: Api;
  kind: Kind;
  /** Whether the state of the forge may change; default: true for a write. */
  saves?: boolean;
  route: string;
  actor: string;
  digest?: string;
  summary?: string;
  /** Executes the operation. A refusal is a response; a rejection is a failure of the forge. */
  run(entry: JournalEntry): Promise<Reply>;
  /** Returns the response of the provider to a request beyond its limits. */
  refuseForRate?(limit: 'primary' | 'secondary', retryAfterSeconds: number | undefined): Reply;
}

/** One protocol of the forge. */
export interface Protocol {
  /** Returns undefined when the request is for another protocol. */
  operation(request: Request): Promise<Operation | undefined>;
}
