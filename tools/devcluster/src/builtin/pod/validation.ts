import { quantityOf } from '@interlock/api/quantities';
import { checkLabel, validateLabels } from '../../registry/names.js';
import { objectAt, objectsAt, textAt, valueAt } from '../../object.js';
import { duplicate, forbidden, invalid, notSupported, required } from '../../schema/field-error.js';
import { isObject } from '../../schema/json.js';
import type { Cause, JsonObject } from '../../schema/types.js';
import { dnsPolicies, restartPolicies } from './spec-schema.js';

/** Checks a pod spec at a field, as far as that is possible without a node (Kubernetes pkg/apis/core/validation). */
export function validatePodSpec(spec: JsonObject, field: string): Cause[] {
  const volumes = objectsAt(spec, 'volumes').map((volume) => textAt(volume, 'name'));
  const containers = objectsAt(spec, 'containers');
  const init = objectsAt(spec, 'initContainers');
  const names = new Set<string>();
  const causes = [
    ...validateVolumes(spec, `${field}.volumes`),
    ...(containers.length === 0 ? [required(`${field}.containers`)] : []),
    ...containers.flatMap((one, i) =>
      validateContainer(one, `${field}.containers[${String(i)}]`, volumes, names),
    ),
    ...init.flatMap((one, i) =>
      validateContainer(one, `${field}.initContainers[${String(i)}]`, volumes, names),
    ),
  ];
  const restart = textAt(spec, 'restartPolicy');
  if (!restartPolicies.includes(restart)) {
    causes.push(notSupported(`${field}.restartPolicy`, restart, restartPolicies));
  }
  const dns = textAt(spec, 'dnsPolicy');
  if (!dnsPolicies.includes(dns)) causes.push(notSupported(`${field}.dnsPolicy`, dns, dnsPolicies));
  const deadline = valueAt(spec, 'activeDeadlineSeconds');
  if (typeof deadline === 'number' && deadline < 1) {
    causes.push(
      invalid(`${field}.activeDeadlineSeconds`, deadline, 'must be between 1 and 2147483647, inclusive'),
    );
  }
  return causes;
}

function validateVolumes(spec: JsonObject, field: string): Cause[] {
  const seen = new Set<string>();
  return objectsAt(spec, 'volumes').flatMap((volume, index) => {
    const at = `${field}[${String(index)}]`;
    const name = textAt(volume, 'name');
    const causes = validateName(name, `${at}.name`);
    if (seen.has(name)) causes.push(duplicate(`${at}.name`, name));
    seen.add(name);
    if (Object.keys(volume).length > 2) {
      causes.push(
        forbidden(`${at}.${Object.keys(volume)[2] ?? ''}`, 'may not specify more than 1 volume type'),
      );
    }
    return causes;
  });
}

function validateName(name: string, field: string): Cause[] {
  if (name === '') return [required(field)];
  const wrong = checkLabel(name);
  return wrong === undefined ? [] : [invalid(field, name, wrong)];
}

function validateContainer(
  container: JsonObject,
  field: string,
  volumes: readonly string[],
  names: Set<string>,
): Cause[] {
  const name = textAt(container, 'name');
  const causes = validateName(name, `${field}.name`);
  if (names.has(name)) causes.push(duplicate(`${field}.name`, name));
  names.add(name);
  if (textAt(container, 'image').trim() === '') causes.push(required(`${field}.image`));
  return [
    ...causes,
    ...validatePorts(container, field),
    ...validateEnv(container, field),
    ...validateMounts(container, field, volumes),
    ...validateResources(objectAt(container, 'resources'), `${field}.resources`),
  ];
}

function validatePorts(container: JsonObject, field: string): Cause[] {
  const names = new Set<string>();
  return objectsAt(container, 'ports').flatMap((port, index) => {
    const number = port['containerPort'];
    const at = `${field}.ports[${String(index)}]`;
    const name = textAt(port, 'name');
    const causes = name !== '' && names.has(name) ? [duplicate(`${at}.name`, name)] : [];
    names.add(name);
    if (typeof number !== 'number') return [...causes, required(`${at}.containerPort`)];
    if (number > 0 && number < 65536) return causes;
    return [...causes, invalid(`${at}.containerPort`, number, 'must be between 1 and 65535, inclusive')];
  });
}

function validateEnv(container: JsonObject, field: string): Cause[] {
  return objectsAt(container, 'env').flatMap((variable, index) => {
    const at = `${field}.env[${String(index)}]`;
    const name = textAt(variable, 'name');
    if (name === '') return [required(`${at}.name`)];
    if (!/^[\x20-\x3c\x3e-\x7e]+$/.test(name)) {
      const rule = `a valid environment variable name must consist only of printable ASCII characters other than '='`;
      return [invalid(`${at}.name`, name, rule)];
    }
    const from = variable['valueFrom'];
    if (!isObject(from)) return [];
    if (Object.keys(from).length === 0) {
      const rule = 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`';
      return [invalid(`${at}.valueFrom`, '', rule)];
    }
    return textAt(variable, 'value') === ''
      ? []
      : [invalid(`${at}.valueFrom`, '', 'may not be specified when `value` is not empty')];
  });
}

function validateMounts(container: JsonObject, field: string, volumes: readonly string[]): Cause[] {
  const paths = new Set<string>();
  return objectsAt(container, 'volumeMounts').flatMap((mount, index) => {
    const at = `${field}.volumeMounts[${String(index)}]`;
    const [name, path] = [textAt(mount, 'name'), textAt(mount, 'mountPath')];
    const causes: Cause[] = [];
    if (name === '') causes.push(required(`${at}.name`));
    else if (!volumes.includes(name)) {
      causes.push({
        reason: 'FieldValueNotFound',
        message: `Not found: ${JSON.stringify(name)}`,
        field: `${at}.name`,
      });
    }
    if (path === '') causes.push(required(`${at}.mountPath`));
    if (paths.has(path)) causes.push(invalid(`${at}.mountPath`, path, 'must be unique'));
    paths.add(path);
    return causes;
  });
}

function validateResources(resources: JsonObject, field: string): Cause[] {
  const limits = objectAt(resources, 'limits');
  return Object.entries(objectAt(resources, 'requests')).flatMap(([name, request]) => {
    const limit = quantityOf(limits[name]);
    const requested = quantityOf(request);
    if (limit === undefined || requested === undefined || requested.compareTo(limit) <= 0n) return [];
    return [
      invalid(
        `${field}.requests`,
        request,
        `must be less than or equal to ${name} limit of ${limit.toString()}`,
      ),
    ];
  });
}

/** Checks that the labels of a pod template match the selector of its owner. */
export function validateTemplateLabels(template: JsonObject, field: string): Cause[] {
  return validateLabels(
    objectAt(template, 'metadata', 'labels') as Record<string, string>,
    `${field}.metadata.labels`,
  );
}
