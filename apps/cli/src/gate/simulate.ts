import { decideGate, type Contribution } from '@interlock/gating';
import { dataText } from '../output/print.js';
import { tableText } from '../output/table.js';
import { timeText } from '../output/text.js';
import { loadGate, loadKeepers, loadOverrides } from './load.js';
import { parseTarget } from './override.js';
import type { Session } from '../session.js';
import { timeFlag } from '../time.js';

/** Runs `simulate NAME --at TIME`: prints the state of the gate at a time, based on the current objects. */
export async function simulate(
  session: Session,
  name: string,
  options: { at?: string; target?: string; revision?: string },
): Promise<void> {
  const at =
    options.at === undefined ? session.io.now() : timeFlag(options.at, options.at, '2026-12-24T18:00:00Z');
  const gate = await loadGate(session, name);
  const [keepers, overrides] = await Promise.all([
    loadKeepers(session, name, at),
    loadOverrides(session, name),
  ]);
  const { revision } = options;
  const target = options.target === undefined ? undefined : parseTarget(options.target);
  const subject = target && { ...target, revision };
  const { state, cause, message, since, next, contributions } = decideGate(
    at,
    gate,
    keepers,
    overrides,
    subject,
  );
  const data = {
    gate: name,
    at: timeText(at),
    state,
    cause,
    message,
    since: timeText(since),
    ...(next && { next: { ...next, at: timeText(next.at) } }),
    contributions: contributions.map(contributionData),
  };
  if (session.format !== 'table') {
    session.io.stdout(dataText(data, session.format));
    return;
  }
  const headers = ['NAME', 'AT', 'STATE', 'CAUSE', 'SINCE', 'UNTIL', 'MESSAGE'];
  const row = [name, data.at, state, cause, data.since, timeText(next?.at), message];
  session.io.stdout(tableText({ headers, rows: [row] }, { header: true }));
}

function contributionData({ next, ...contribution }: Contribution) {
  return { ...contribution, ...(next !== undefined && { next: timeText(next) }) };
}
