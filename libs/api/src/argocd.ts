import type { Kind } from './object.js';

/**
 * Argo CD's Application (Argo CD documentation, "Application Specification"). The kind belongs to Argo CD; this project
 * only reads it.
 */
export const argoApplication = {
  group: 'argoproj.io',
  version: 'v1alpha1',
  kind: 'Application',
  plural: 'applications',
  namespaced: true,
} as const satisfies Kind;
