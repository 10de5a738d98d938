import { RunnerGroup, runnerFinalizers, workerServiceAccount, type KubeObject } from '@interlock/api';
import { names } from './render/names.js';
import { ownerLabel, ownerUidLabel } from './render/objects.js';

/** The names of the objects that the gmc applies, besides RunnerGroups. A namespace has one of each. */
const rendered: ReadonlySet<string> = new Set([
  ...Object.values(names),
  `${names.controller}-metrics`,
  workerServiceAccount,
]);

/** Length of metadata in JSON from which only the parts that the gmc evaluates are kept. No honest object has as much. */
const longMetadata = 16 * 1024;

/**
 * Returns what a cache keeps of an object of a namespace. A team can create any number of RunnerGroups, and of objects with the label
 * of its gateway, each of 1.5 MiB: nothing is kept of them that the gmc does not need to report or delete them. A changed
 * spec of a RunnerGroup has another `metadata.generation`. Pure.
 */
export function reduceObject(object: KubeObject): KubeObject {
  const { apiVersion, kind, metadata } = object;
  const { managedFields: _, ...kept } = metadata;
  const isGroup = kind === RunnerGroup.kind;
  if (!isGroup && rendered.has(metadata.name)) return { ...object, metadata: kept };
  const { status } = object as RunnerGroup;
  return { apiVersion, kind, metadata: reduceMetadata(kept), ...(isGroup && status && { status }) };
}

function reduceMetadata({ annotations: _, ...metadata }: KubeObject['metadata']): KubeObject['metadata'] {
  if (JSON.stringify(metadata).length < longMetadata) return metadata;
  const { labels = {}, ownerReferences = [], finalizers = [] } = metadata;
  return {
    ...metadata,
    labels: Object.fromEntries(
      Object.entries(labels).filter(([key]) => key === ownerLabel || key === ownerUidLabel),
    ),
    /* Only one can be the controller. */
    ownerReferences: ownerReferences.filter(({ controller }) => controller === true),
    finalizers: finalizers.filter((finalizer) => finalizer === runnerFinalizers.agentPoolCleanup),
  };
}
