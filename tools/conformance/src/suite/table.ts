import type { Body } from './body.js';

/** `meta.k8s.io/v1` Table. */
export interface Table {
  kind: string;
  metadata: Body['metadata'];
  /** In a watch, only the first event contains the definitions. */
  columnDefinitions: { name: string; type: string; format: string; description: string; priority: number }[];
  rows: { cells: unknown[]; object?: Body | null }[] | null;
}
