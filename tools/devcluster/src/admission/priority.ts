import type { AdmissionPlugin, AdmissionRequest, Cluster } from '../api/cluster.js';
import { systemPriorityClasses } from '../builtin/priority-class.js';
import { objectAt, textAt, type KubeObject } from '../object.js';
import type { JsonObject } from '../schema/types.js';
import { refusal } from './refusal.js';

const classes = 'priorityclasses.scheduling.k8s.io';

interface Resolved {
  priority: number;
  preemptionPolicy: string;
}

/**
 * Sets the priority of pods from their class or from the default class. Refuses a second default class and the deletion
 * of system classes. Source: Kubernetes plugin/pkg/admission/priority.
 */
export function priorityAdmission(store: Cluster['store']): AdmissionPlugin {
  return {
    mutate: (request) => {
      const { operation, resource, subresource, object, old } = request;
      if (resource.collection !== 'pods' || subresource !== undefined || object === undefined) return;
      if (operation === 'CREATE') setPriority(store, request, objectAt(object, 'spec'));
      else if (old !== undefined) keepPriority(objectAt(object, 'spec'), objectAt(old, 'spec'));
    },
    validate: (request) => {
      if (request.resource.collection === classes) validateClass(store, request);
    },
  };
}

function setPriority(store: Cluster['store'], request: AdmissionRequest, spec: JsonObject): void {
  const { priority, preemptionPolicy } = resolve(store, request, spec);
  const { priority: given, preemptionPolicy: givenPolicy } = spec;
  const why = 'must not be provided in pod spec; priority admission controller computed';
  const from = 'from the given PriorityClass name';
  if (given !== undefined && given !== priority) {
    throw refusal(request, `the integer value of priority (${String(given)}) ${why} ${priority} ${from}`);
  }
  if (givenPolicy !== undefined && givenPolicy !== preemptionPolicy) {
    const policy = `the string value of PreemptionPolicy (${String(givenPolicy)})`;
    throw refusal(request, `${policy} ${why} ${preemptionPolicy} ${from}`);
  }
  Object.assign(spec, { priority, preemptionPolicy });
}

/** Resolves the class of a pod, and sets the default class if the pod does not name one. */
function resolve(store: Cluster['store'], request: AdmissionRequest, spec: JsonObject): Resolved {
  const name = textAt(spec, 'priorityClassName');
  const found = name === '' ? defaultClass(store) : store.get(classes, name)?.object;
  if (found === undefined) {
    if (name !== '') throw refusal(request, `no PriorityClass with name ${name} was found`);
    return { priority: 0, preemptionPolicy: 'PreemptLowerPriority' };
  }
  spec['priorityClassName'] = found.metadata.name;
  return { priority: valueOf(found), preemptionPolicy: textAt(found, 'preemptionPolicy') };
}

/** Keeps a value that admission has set if an update omits it. */
function keepPriority(spec: JsonObject, old: JsonObject): void {
  for (const field of ['priority', 'preemptionPolicy']) {
    const before = old[field];
    if (before !== undefined) spec[field] ??= before;
  }
}

function validateClass(store: Cluster['store'], request: AdmissionRequest): void {
  const { operation, object, name } = request;
  if (operation === 'DELETE') {
    if (!systemPriorityClasses.some(({ metadata }) => metadata.name === name)) return;
    throw refusal(request, 'this is a system priority class and cannot be deleted');
  }
  if (object?.['globalDefault'] !== true) return;
  const current = defaultClass(store)?.metadata.name;
  if (current === undefined || (operation === 'UPDATE' && current === object.metadata.name)) return;
  throw refusal(request, `PriorityClass ${current} is already marked as default. Only one default can exist`);
}

/** Returns the default class; if there are several, the one with the lowest value. */
function defaultClass(store: Cluster['store']): KubeObject | undefined {
  return store
    .entries(classes)
    .map(({ object }) => object)
    .filter((object) => object['globalDefault'] === true)
    .sort((a, b) => valueOf(a) - valueOf(b))[0];
}

function valueOf(priorityClass: KubeObject): number {
  return Number(priorityClass['value']);
}
