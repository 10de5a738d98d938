import type { DomainContext } from './context.js';
import { Dispatcher } from './dispatcher.js';
import { JobLocks } from './job-locks.js';
import { Polls } from './polls.js';
import { Runners } from './runners.js';
import { Runs } from './runs.js';
import { Sessions } from './sessions.js';

/** The state machines of the service. */
export interface Domain {
  context: DomainContext;
  runners: Runners;
  sessions: Sessions;
  dispatcher: Dispatcher;
  polls: Polls;
  runs: Runs;
  locks: JobLocks;
}

export function createDomain(context: DomainContext): Domain {
  const runners = new Runners(context);
  const sessions = new Sessions(context);
  const dispatcher = new Dispatcher(context);
  const runs = new Runs(context, dispatcher, runners);
  sessions.onEnded = (session) => dispatcher.release(session);
  runners.onRemoved = ({ session }) => {
    if (session !== undefined) sessions.end(session, 'session-deleted');
  };
  return {
    context,
    runners,
    sessions,
    dispatcher,
    polls: new Polls(context, sessions, dispatcher),
    runs,
    locks: new JobLocks(context, dispatcher, runs),
  };
}
