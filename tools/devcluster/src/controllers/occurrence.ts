import type { KubeObject } from '../object.js';

/** Something that happened to an object. */
export interface Occurrence {
  regarding: KubeObject;
  type: 'Normal' | 'Warning';
  reason: string;
  note: string;
  /** Which component reports, such as `kubelet`. */
  component: string;
  /** Which part of the object it is about, such as `spec.containers{app}`. */
  fieldPath?: string | undefined;
  /** The node of the component. */
  host?: string | undefined;
  /** What the component did. Makes an event of the new kind (`events.k8s.io`), as the scheduler records them. */
  action?: string | undefined;
}
