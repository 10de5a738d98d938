import type { EventResponse, SecurityEvent } from '@interlock/api';
import type { Cache, CacheOptions, Manager } from '@interlock/kube';
import type { ProposalFacts } from '@interlock/responding';
import type { Tracer } from '@opentelemetry/api';
import type { Credentials } from '../config/credentials.js';
import type { Repositories } from '../config/repositories.js';
import type { ConfigStore } from '../config/store.js';
import type { Gates } from '../gates.js';
import type { ResponderMetrics } from '../metrics.js';
import type { Planner } from '../planning/planner.js';
import type { Duplicates } from './duplicates.js';
import type { Occupancy } from './occupancy.js';
import type { Removals } from './removals.js';

/** The dependencies that the steps of the reconciler of responses share. */
export interface Responder {
  manager: Manager;
  metrics: ResponderMetrics;
  tracer: Tracer;
  /** Uniform in [0, 1). */
  random: () => number;
  /** The options of the cache of responses. */
  responseCache: CacheOptions<EventResponse>;
  responses: Cache<EventResponse>;
  securityEvents: Cache<SecurityEvent>;
  store: ConfigStore;
  credentials: Credentials;
  repositories: Repositories;
  gates: Gates;
  occupancy: Occupancy;
  duplicates: Duplicates;
  removals: Removals;
  planner: Planner;
  cluster: ProposalFacts['cluster'];
  responderName: string;
  /** The namespace of the configurations. */
  configNamespace: string;
  /** 0 uses the retry policy of each response. */
  maxAttempts: number;
  /** Milliseconds between two reads of an open pull request. */
  pollIntervalMs: number;
}
