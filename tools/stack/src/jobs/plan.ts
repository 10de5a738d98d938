import type { RunnerGroupSpec } from '@interlock/api';

/** A RunnerGroup of the tenant. */
export type GroupName = 'linux' | 'large';

/** A job that the scenario queues in a separate run. */
export interface PlannedJob {
  name: string;
  group: GroupName;
  /** Duration in milliseconds. */
  durationMs: number;
}

/** The repository whose jobs are queued. */
export const repository = 'acme/web';
/** The job whose pod is evicted while it runs. */
export const evictedJob = 'integration';
/** The job whose run is cancelled while it runs. */
export const cancelledJob = 'preview';

const testDurations = [500, 2_000, 1_000, 4_000, 1_500];
const buildDurations = [3_000, 1_000, 6_000, 2_000];
const longMs = 8_000;

/** The jobs in the order in which they are queued. */
export const plannedJobs: readonly PlannedJob[] = [
  { name: evictedJob, group: 'linux', durationMs: longMs },
  { name: cancelledJob, group: 'large', durationMs: longMs },
  ...numbered('test', 'linux', testDurations, 24),
  ...numbered('build', 'large', buildDurations, 14),
];

/** Returns the labels in `runs-on` of a job of a group. */
export function labelsOf(group: GroupName): string[] {
  return ['self-hosted', group];
}

/** Returns the spec of a RunnerGroup. Its runners request few resources, because the jobs only wait. */
export function groupSpec(name: GroupName): Partial<RunnerGroupSpec> {
  const resources = { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '512Mi' } };
  return {
    name,
    runnerLabels: labelsOf(name),
    maxListeners: 2,
    maxWorkers: name === 'linux' ? 6 : 4,
    maxEvictionRetries: 2,
    evictionRetryDelay: '1s',
    podTemplate: { spec: { containers: [{ name: 'runner', resources }] } },
  };
}

function numbered(
  prefix: string,
  group: GroupName,
  durations: readonly number[],
  count: number,
): PlannedJob[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `${prefix}-${String(index + 1).padStart(2, '0')}`,
    group,
    durationMs: durations[index % durations.length] ?? longMs,
  }));
}
