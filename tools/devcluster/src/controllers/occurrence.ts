import type { KubeObject } from '../object.js';

/** An occurrence of an event for an object. */
export interface Occurrence {
  regarding: KubeObject;
  type: 'Normal' | 'Warning';
  reason: string;
  note: string;
  /** The reporting component, such as `kubelet`. */
  component: string;
  /** The part of the object, such as `spec.containers{app}`. */
  fieldPath?: string | undefined;
  /** The node of the component. */
  host?: string | undefined;
  /** What the component did. With an action, the event is one of `events.k8s.io`, as the scheduler records them. */
  action?: string | undefined;
}
