import { isTerminal } from '../controllers/pod-writes.js';
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
    !isTerminal(pod)
  );
}

/** Returns whether a pod takes room on a node. */
export function occupies(pod: KubeObject): boolean {
  return textAt(pod, 'spec', 'nodeName') !== '' && !isTerminal(pod);
}

/** Returns whether a change can make a pod fit that did not fit before, other than a change of that pod. */
export function mayHelp({ type, entry, previous }: StoreEvent): boolean {
  const { collection, object } = entry;
  if (collection === 'nodes') {
    return type === 'ADDED' || (previous !== undefined && !jsonEqual(room(object), room(previous.object)));
  }
  if (collection !== 'pods') return false;
  const before = type === 'DELETED' ? object : previous?.object;
  const left = before !== undefined && occupies(before) && (type === 'DELETED' || !occupies(object));
  const came =
    type !== 'DELETED' && occupies(object) && (previous === undefined || !occupies(previous.object));
  const relabelled =
    previous !== undefined && !jsonEqual(object.metadata.labels, previous.object.metadata.labels);
  return left || came || relabelled || isNominationLost(entry.object, previous?.object);
}

/** What decides which pods fit on a node. */
function room(node: KubeObject): (object | undefined)[] {
  return [node.metadata.labels, objectAt(node, 'spec'), objectAt(node, 'status', 'allocatable')];
}

function isNominationLost(pod: KubeObject, before: KubeObject | undefined): boolean {
  if (before === undefined || valueAt(before, 'status', 'nominatedNodeName') === undefined) return false;
  return textAt(pod, 'status', 'nominatedNodeName') !== textAt(before, 'status', 'nominatedNodeName');
}
