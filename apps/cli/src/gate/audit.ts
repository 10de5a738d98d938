import { readFile } from 'node:fs/promises';
import { Gate, messageOf, type AuditRecord } from '@interlock/api';
import { auditVerifier, verifyAudit, type GateAuditVerifier } from '@interlock/gating';
import { exitCodes, Failure, usage, type ExitCode } from '../exit.js';
import { print } from '../output/print.js';
import { loadAll } from '../load.js';
import { loadGate } from './load.js';
import type { Session } from '../session.js';

const headers = [
  'GATE',
  'RECORD',
  'AT',
  'SINCE',
  'FROM',
  'TO',
  'CAUSE',
  'ACTOR',
  'TICKET',
  'TARGETS',
  'REASON',
];

/** Runs `audit [NAME]`: lists the changes of gates; with `--verify`, checks the integrity of the records instead. */
export async function audit(
  session: Session,
  name: string | undefined,
  options: { verify?: boolean; key?: string },
): Promise<ExitCode> {
  if (options.key !== undefined && options.verify !== true) throw usage('--key requires --verify');
  const isSigned = options.key === undefined ? undefined : await readKey(options.key);
  const gates =
    name === undefined
      ? await loadAll(session, Gate, { namespace: session.namespace })
      : [await loadGate(session, name)];
  if (options.verify === true) return verify(session, gates, isSigned);
  const records = gates.flatMap((gate) =>
    (gate.status?.history ?? []).map((record) => ({ gate: gate.metadata.name, ...record })),
  );
  records.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  print(session.io, session.format, { records }, { headers, rows: records.map(rowOf) });
  return exitCodes.ok;
}

function rowOf(record: AuditRecord & { gate: string }): string[] {
  const { gate, sequence, at, since, from, to, cause, actor, ticket, targetCount, reason } = record;
  return [
    gate,
    sequence === undefined ? '' : String(sequence),
    at,
    since,
    from ?? '',
    to,
    cause,
    actor ?? '',
    ticket ?? '',
    targetCount === undefined ? '' : String(targetCount),
    reason ?? '',
  ];
}

async function readKey(file: string): Promise<GateAuditVerifier> {
  try {
    return auditVerifier(await readFile(file, 'utf8'));
  } catch (error) {
    throw new Failure(`--key ${file}: ${messageOf(error)}`);
  }
}

function verify(
  { progress, io, format }: Session,
  gates: readonly Gate[],
  isSigned: GateAuditVerifier | undefined,
): ExitCode {
  const results = gates.map((gate) => ({
    gate: gate.metadata.name,
    records: gate.status?.history?.length ?? 0,
    breaks: verifyAudit(gate.status?.history, isSigned?.(gate)),
  }));
  for (const { gate, records, breaks } of results) {
    if (breaks.length === 0)
      progress.success(
        `Gate ${gate}: ${records} records, the chain is intact${isSigned === undefined ? '' : ' and signed'}`,
      );
    for (const { index, message } of breaks)
      progress.failure(`Gate ${gate}: record ${index + 1}: ${message}`);
  }
  const rows = results.map(({ gate, records, breaks }) => [gate, String(records), String(breaks.length)]);
  print(io, format, { gates: results }, { headers: ['GATE', 'RECORDS', 'BREAKS'], rows });
  return results.every(({ breaks }) => breaks.length === 0) ? exitCodes.ok : exitCodes.failed;
}
