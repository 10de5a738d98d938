import { objectAt, objectsAt, textAt, valueAt, type KubeObject } from '../object.js';
import type { ScalePaths } from '../registry/resource.js';
import { forbidden, invalid, notSupported, required } from '../schema/field-error.js';
import { jsonEqual } from '../schema/json.js';
import type { Cause, JsonObject } from '../schema/types.js';
import { labelSelectorRequirements, matchesLabels, selectorText } from '../selectors/labels.js';
import { column, wide } from './define.js';
import type { Column } from '../table/column.js';
import { validatePodSpec, validateTemplateLabels } from './pod/validation.js';

/** Returns the number at a path, or 0 if there is none. */
export function numberOf(object: JsonObject, ...path: string[]): number {
  const value = valueAt(object, ...path);
  return typeof value === 'number' ? value : 0;
}

/** Returns a cause for each field that is a negative number. */
export function nonNegative(object: JsonObject, field: string, names: readonly string[]): Cause[] {
  return names.flatMap((name) => {
    const value = object[name];
    if (typeof value !== 'number' || value >= 0) return [];
    return [invalid(`${field}.${name}`, value, 'must be greater than or equal to 0')];
  });
}

/** Checks the selector and the pod template of a Deployment or a ReplicaSet. Source: Kubernetes pkg/apis/apps/validation. */
export function validateReplicated(o: KubeObject): Cause[] {
  const spec = objectAt(o, 'spec');
  const template = objectAt(spec, 'template');
  const selector = objectAt(spec, 'selector');
  const labels = objectAt(template, 'metadata', 'labels');
  const causes: Cause[] = [];
  if (valueAt(spec, 'selector') === undefined) causes.push(required('spec.selector'));
  else if (Object.keys(selector).length === 0) {
    causes.push(invalid('spec.selector', selector, 'empty selector is invalid for deployment'));
  }
  if (!matchesLabels(labelSelectorRequirements(selector), labels)) {
    causes.push(
      invalid('spec.template.metadata.labels', labels, '`selector` does not match template `labels`'),
    );
  }
  causes.push(...validateTemplateLabels(template, 'spec.template'));
  causes.push(...validatePodSpec(objectAt(template, 'spec'), 'spec.template.spec'));
  const restart = textAt(template, 'spec', 'restartPolicy');
  if (restart !== 'Always') {
    causes.push(notSupported('spec.template.spec.restartPolicy', restart, ['Always']));
  }
  if (valueAt(template, 'spec', 'activeDeadlineSeconds') !== undefined) {
    const detail = 'activeDeadlineSeconds in ReplicaSet is not Supported';
    causes.push(forbidden('spec.template.spec.activeDeadlineSeconds', detail));
  }
  return causes;
}

/** Copies the labels of the pods to an object without labels. */
export function defaultLabels(o: KubeObject): void {
  const { metadata } = o;
  const labels = objectAt(o, 'spec', 'template', 'metadata', 'labels') as Record<string, string>;
  if (Object.keys(metadata.labels ?? {}).length > 0 || Object.keys(labels).length === 0) return;
  metadata.labels = { ...labels };
}

/**
 * Checks the counts of a status: `parts` are counts of some of the replicas, and `others` are further numbers. Source:
 * Kubernetes pkg/apis/apps/validation, ValidateDeploymentStatus and ValidateReplicaSetStatus.
 */
export function validateReplicaStatus(
  o: KubeObject,
  parts: readonly string[],
  others: readonly string[],
): Cause[] {
  const status = objectAt(o, 'status');
  const atMost = (name: string, limit: string, limitText = limit): Cause[] => {
    const count = numberOf(status, name);
    const detail = `cannot be greater than ${limitText}`;
    return count > numberOf(status, limit) ? [invalid(`status.${name}`, count, detail)] : [];
  };
  return [
    ...nonNegative(status, 'status', ['replicas', ...parts, ...others]),
    ...parts.flatMap((name) => atMost(name, 'replicas', 'status.replicas')),
    ...atMost('availableReplicas', 'readyReplicas'),
  ];
}

/** Checks that the selector of a Deployment or a ReplicaSet does not change. */
export function validateSelectorUpdate(o: KubeObject, old: KubeObject): Cause[] {
  const selector = valueAt(o, 'spec', 'selector');
  if (jsonEqual(selector, valueAt(old, 'spec', 'selector'))) return [];
  return [invalid('spec.selector', selector, 'field is immutable')];
}

/** The scale subresource of a Deployment or a ReplicaSet. */
export const replicaScale: ScalePaths = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.spec.selector',
};

function containersText(o: KubeObject, field: string): string {
  return objectsAt(o, 'spec', 'template', 'spec', 'containers')
    .map((container) => textAt(container, field))
    .join(',');
}

/** Columns of `-o wide` about the pod template. */
export const templateColumns: readonly Column[] = [
  wide(column('Containers', 'Names of the containers.', (o) => containersText(o, 'name'))),
  wide(column('Images', 'Images of the containers.', (o) => containersText(o, 'image'))),
  wide(
    column('Selector', 'Labels of the pods.', (o) =>
      selectorText(labelSelectorRequirements(objectAt(o, 'spec', 'selector'))),
    ),
  ),
];
