import type { KubeObject } from '../object.js';
import type { Json } from '../schema/types.js';

/** A column of `kubectl get` (meta.k8s.io/v1 TableColumnDefinition) and its value. */
export interface Column {
  name: string;
  type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  format: string;
  description: string;
  /** Columns with 0 are always shown, others only with `-o wide`. */
  priority: number;
  cell: (object: KubeObject, now: Date) => Json;
}
