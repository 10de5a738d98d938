import type { KubeObject } from '@interlock/api';
import type { Clock } from '@interlock/base';
import { recordLog } from '@interlock/base/testing';
import type { ControllerDeps } from '../runtime/controller.js';
import { noMetrics } from '../runtime/metrics-types.js';
import type { MemoryCache } from './memory-cache.js';

/** Returns the dependencies of a controller besides its options: one cache for all kinds, and no randomness. */
export function controllerDeps<C extends KubeObject>(cache: MemoryCache<C>, clock: Clock): ControllerDeps {
  return {
    cache: <T extends KubeObject>() => cache as unknown as MemoryCache<T>,
    clock,
    log: recordLog(),
    metrics: noMetrics,
    random: () => 0.5,
    newId: () => 'id',
  };
}
