import type { JobHandle, ServiceEvent } from '@interlock/actions-service';
import { textTable } from '../text-table.js';

/** The records of the scenario. */
export interface JobRecords {
  /** Every attempt of every job, from the service. */
  jobs: readonly Pick<JobHandle, 'id' | 'runId' | 'attempt' | 'name' | 'planId' | 'status' | 'conclusion'>[];
  /** The journal of the service. */
  events: readonly Pick<ServiceEvent, 'at' | 'type' | 'job'>[];
  /** Names of the worker pods, by plan id, in the order of creation. */
  pods: ReadonlyMap<string, readonly string[]>;
  /** When the scenario began to queue jobs, in milliseconds since the epoch. */
  startedAt: number;
}

/** A job of the table. Times are seconds since the start; undefined if the event has not happened. */
export interface JobRow {
  name: string;
  /** When its first attempt was queued. */
  queued: number | undefined;
  /** When the runner of its last attempt reported its start. */
  started: number | undefined;
  /** When its last attempt was concluded. */
  ended: number | undefined;
  /** The last pod. */
  pod: string | undefined;
  /** Number of attempts after the first attempt, and of pods that replaced another pod. */
  retries: number;
  /** The conclusion of the last attempt, or its status if it has none. */
  outcome: string;
}

/** Returns a row for each job, in the order in which they were queued. Pure. */
export function jobRows({ jobs, events, pods, startedAt }: JobRecords): JobRow[] {
  const secondsOf = (type: ServiceEvent['type'], id: string): number | undefined => {
    const found = events.find((event) => event.type === type && event.job === id);
    return found === undefined ? undefined : (found.at - startedAt) / 1000;
  };
  const runs = [...new Set(jobs.map(({ runId }) => runId))];
  return runs.flatMap((run) => {
    const ordered = jobs.filter(({ runId }) => runId === run).toSorted((a, b) => a.attempt - b.attempt);
    const [first] = ordered;
    const last = ordered.at(-1);
    if (first === undefined || last === undefined) return [];
    const podsOf = ({ planId }: { planId: string }): readonly string[] => pods.get(planId) ?? [];
    const replaced = ordered.reduce((sum, attempt) => sum + Math.max(0, podsOf(attempt).length - 1), 0);
    return [
      {
        name: last.name,
        queued: secondsOf('job-queued', first.id),
        started: secondsOf('job-started', last.id),
        ended: secondsOf('job-completed', last.id),
        pod: podsOf(last).at(-1),
        retries: ordered.length - 1 + replaced,
        outcome: last.conclusion ?? last.status,
      },
    ];
  });
}

const titles = ['job', 'queued', 'started', 'ended', 'pod', 'retries', 'outcome'];
/** Columns of numbers. */
const aligned = new Set([1, 2, 3, 5]);

/** Returns the table as lines with aligned columns, the titles first. Pure. */
export function tableLines(rows: readonly JobRow[]): string[] {
  const cells = rows.map(({ name, queued, started, ended, pod, retries, outcome }) => [
    name,
    ...[queued, started, ended].map((seconds) => seconds?.toFixed(1) ?? '-'),
    pod ?? '-',
    String(retries),
    outcome,
  ]);
  return textTable(titles, cells, aligned);
}
