import { isFinished } from '../controllers/pod-state.js';
import { objectAt, objectsAt, textAt, valueAt, type KubeObject } from '../object.js';
import { jsonEqual } from '../schema/json.js';
import type { StoreEvent } from '../store/entry.js';
import { schedulerName } from './identity.js';

/** Returns whether the scheduler has to find a node for a pod. */
export function needsNode(pod: KubeObject): boolean {
  return (
    pod.metadata.deletionTimestamp === undefined &&
    textAt(pod, 'spec', 'nodeName') === '' &&
    (textAt(pod, 'spec', 'schedulerName') || schedulerName) === schedulerName &&
    objectsAt(pod, 'spec', 'schedulingGates').length === 0 &&
    !isFinished(pod)
  );
}

/** Returns whether a pod uses resources of a node. */
export function occupies(pod: KubeObject): boolean {
  return textAt(pod, 'spec', 'nodeName') !== '' && !isFinished(pod);
}

/**
 * Returns which pods a change can make fit that did not fit before, other than a pod that changed itself: all, those
 * with rules about other pods, or none.
 */
export function helped({ type, entry, previous }: StoreEvent): 'all' | 'affine' | 'none' {
  const { collection, object } = entry;
  const before = previous?.object;
  if (collection === 'nodes') {
    const hasChanged = before === undefined ? type === 'ADDED' : !jsonEqual(room(object), room(before));
    return hasChanged ? 'all' : 'none';
  }
  if (collection !== 'pods') return 'none';
  const occupied = type === 'DELETED' ? occupies(object) : before !== undefined && occupies(before);
  const isThere = type !== 'DELETED' && occupies(object);
  if ((occupied && !isThere) || isNominationLost(object, before)) return 'all';
  const hasCome = isThere && !occupied;
  return hasCome || !jsonEqual(object.metadata.labels, before?.metadata.labels) ? 'affine' : 'none';
}

/** Returns the parts of a node that determine which pods fit on it. */
function room(node: KubeObject): (object | undefined)[] {
  return [node.metadata.labels, objectAt(node, 'spec'), objectAt(node, 'status', 'allocatable')];
}

function isNominationLost(pod: KubeObject, before: KubeObject | undefined): boolean {
  if (before === undefined || valueAt(before, 'status', 'nominatedNodeName') === undefined) return false;
  return textAt(pod, 'status', 'nominatedNodeName') !== textAt(before, 'status', 'nominatedNodeName');
}
