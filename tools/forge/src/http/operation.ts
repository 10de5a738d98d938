import type { Api, JournalEntry, Kind } from '../journal.js';
import type { Reply, Request } from './message.js';

/** What a request would do, known before anything of it is done. */
export interface Operation {
  api: Api;
  kind: Kind;
  /** Whether what the forge remembers may be other than before; default: when it is a write. */
  saves?: boolean;
  route: string;
  actor: string;
  digest?: string;
  summary?: string;
  /** Does it. Refusals are answers; a rejection is a failure of the forge. */
  run(entry: JournalEntry): Promise<Reply>;
  /** How the provider refuses a request beyond its limits. */
  refuseForRate?(limit: 'primary' | 'secondary', retryAfterSeconds: number | undefined): Reply;
}

/** One protocol of the forge. */
export interface Protocol {
  /** Returns undefined when the request is for another protocol. */
  operation(request: Request): Promise<Operation | undefined>;
}
