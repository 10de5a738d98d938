import { objectAt, objectsAt, textAt, valueAt, type KubeObject } from '../../object.js';
import { forbidden, invalid, required } from '../../schema/field-error.js';
import { jsonEqual } from '../../schema/json.js';
import type { Cause, JsonObject } from '../../schema/types.js';

const containerLists = ['containers', 'initContainers'];
/* Fields with separate rules; a binding sets the node. */
const mutableFields = ['activeDeadlineSeconds', 'tolerations', 'schedulingGates', 'nodeName'];
const onlyThese =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

/** Checks the change of a pod, most of whose spec is immutable. Source: Kubernetes pkg/apis/core/validation (ValidatePodUpdate). */
export function validatePodUpdate(pod: KubeObject, old: KubeObject): Cause[] {
  const [spec, oldSpec] = [objectAt(pod, 'spec'), objectAt(old, 'spec')];
  const resized = containerLists.find(
    (list) => objectsAt(spec, list).length !== objectsAt(oldSpec, list).length,
  );
  if (resized !== undefined) {
    return [forbidden(`spec.${resized}`, 'pod updates may not add or remove containers')];
  }
  return [
    ...containerLists.flatMap((list) => validateImages(spec, list)),
    ...validateDeadline(spec, oldSpec),
    ...validateTolerations(spec, oldSpec),
    ...validateGates(spec, oldSpec),
    ...(jsonEqual(fixedSpec(spec, oldSpec), fixedSpec(oldSpec, oldSpec))
      ? []
      : [forbidden('spec', onlyThese)]),
  ];
}

function validateImages(spec: JsonObject, list: string): Cause[] {
  return objectsAt(spec, list).flatMap((container, index) => {
    const image = textAt(container, 'image');
    const field = `spec.${list}[${String(index)}].image`;
    if (image === '') return [required(field)];
    return image === image.trim()
      ? []
      : [invalid(field, image, 'must not have leading or trailing whitespace')];
  });
}

/** Checks that a deadline is only set or reduced. */
function validateDeadline(spec: JsonObject, oldSpec: JsonObject): Cause[] {
  const field = 'spec.activeDeadlineSeconds';
  const [deadline, old] = [spec, oldSpec].map((one) => valueAt(one, 'activeDeadlineSeconds'));
  if (typeof old !== 'number') return [];
  if (typeof deadline !== 'number') {
    return [invalid(field, null, 'must not update from a positive integer to nil value')];
  }
  return deadline <= old ? [] : [invalid(field, deadline, 'must be less than or equal to previous value')];
}

/** Checks that existing tolerations do not change, except for their `tolerationSeconds`. */
function validateTolerations(spec: JsonObject, oldSpec: JsonObject): Cause[] {
  const kept = objectsAt(spec, 'tolerations').map(withoutSeconds);
  const isKept = (one: JsonObject): boolean => kept.some((other) => jsonEqual(other, withoutSeconds(one)));
  if (objectsAt(oldSpec, 'tolerations').every(isKept)) return [];
  return [
    forbidden('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds'),
  ];
}

function withoutSeconds({ tolerationSeconds: _tolerationSeconds, ...toleration }: JsonObject): JsonObject {
  return toleration;
}

function validateGates(spec: JsonObject, oldSpec: JsonObject): Cause[] {
  const old = objectsAt(oldSpec, 'schedulingGates').map((gate) => textAt(gate, 'name'));
  return objectsAt(spec, 'schedulingGates')
    .map((gate) => textAt(gate, 'name'))
    .filter((name) => !old.includes(name))
    .map((name) =>
      forbidden(
        `spec.schedulingGates.${name}`,
        `only deletion is allowed, but found new scheduling gate '${name}'`,
      ),
    );
}

/** Returns the part of a spec that may not differ from another spec. */
function fixedSpec(spec: JsonObject, oldSpec: JsonObject): JsonObject {
  const fixed = { ...spec };
  for (const field of mutableFields) Reflect.deleteProperty(fixed, field);
  for (const list of containerLists) {
    if (!(list in fixed)) continue;
    fixed[list] = objectsAt(fixed, list).map(({ image: _image, ...container }) => container);
  }
  const oldGrace = Number(oldSpec['terminationGracePeriodSeconds']);
  if (oldGrace < 0 && fixed['terminationGracePeriodSeconds'] === 1) {
    fixed['terminationGracePeriodSeconds'] = oldGrace;
  }
  return fixed;
}
