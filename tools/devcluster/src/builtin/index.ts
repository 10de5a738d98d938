import type { Resource } from '../registry/resource.js';
import { CORE_KINDS } from './core.js';
import { CUSTOM_RESOURCE_DEFINITION } from './crd.js';
import { LEASE } from './lease.js';
import { RBAC_KINDS } from './rbac.js';

/** Every kind that is served from the start, in the order of discovery. */
export const BUILTIN_KINDS: readonly Resource[] = [
  ...CORE_KINDS,
  ...RBAC_KINDS,
  CUSTOM_RESOURCE_DEFINITION,
  LEASE,
];
