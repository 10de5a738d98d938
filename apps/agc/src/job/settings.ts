import type { RunnerGroup } from '@interlock/api';
import { parseDuration } from '@interlock/service';
import type { JobSettings } from './observed.js';

/** Returns the settings of a RunnerGroup that apply when its jobs end. Pure. */
export function jobSettings({ spec }: Pick<RunnerGroup, 'spec'>): JobSettings {
  return {
    maxEvictionRetries: spec.maxEvictionRetries,
    evictionRetryDelayMs: parseDuration(spec.evictionRetryDelay),
    maxQuotaRetries: spec.maxQuotaRetries,
    quotaRetryDelayMs: parseDuration(spec.quotaRetryDelay),
    pendingPodDeadlineMs: parseDuration(spec.pendingPodDeadline),
  };
}
