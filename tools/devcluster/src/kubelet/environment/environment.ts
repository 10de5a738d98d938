import { objectAt, objectsAt, textAt, valueAt, type KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { StartProblem } from '../container-runtime.js';
import { fieldValue, resourceValue, type PodAddresses } from './downward.js';
import { expand } from './expand.js';

/** The objects of a namespace that pods refer to. */
export interface ReferredObjects {
  configMap: (name: string) => KubeObject | undefined;
  secret: (name: string) => KubeObject | undefined;
  services: () => readonly KubeObject[];
}

export type Environment = Record<string, string>;

/**
 * Returns the environment of a container. The last of several equal names takes effect, and `$(NAME)` refers to earlier
 * variables. Throws StartProblem `CreateContainerConfigError` for a missing object or key that is not optional.
 */
export function containerEnvironment(
  pod: KubeObject,
  container: JsonObject,
  objects: ReferredObjects,
  addresses: PodAddresses,
): Environment {
  const links = valueAt(pod, 'spec', 'enableServiceLinks') === false ? {} : serviceLinks(objects.services());
  const result: Environment = {};
  for (const source of objectsAt(container, 'envFrom')) Object.assign(result, valuesFrom(source, objects));
  for (const variable of objectsAt(container, 'env')) {
    const from = objectAt(variable, 'valueFrom');
    const value =
      'valueFrom' in variable
        ? valueFrom(from, { pod, container, objects, addresses })
        : expand(textAt(variable, 'value'), (name) => result[name] ?? links[name]);
    if (value !== undefined) result[textAt(variable, 'name')] = value;
  }
  return { ...links, ...result };
}

interface Place {
  pod: KubeObject;
  container: JsonObject;
  objects: ReferredObjects;
  addresses: PodAddresses;
}

/** Returns undefined for an optional reference to a missing object. */
function valueFrom(from: JsonObject, { pod, container, objects, addresses }: Place): string | undefined {
  if ('fieldRef' in from) return fieldValue(pod, textAt(from, 'fieldRef', 'fieldPath'), addresses);
  if ('resourceFieldRef' in from) return resourceValue(pod, objectAt(from, 'resourceFieldRef'), container);
  const isSecret = 'secretKeyRef' in from;
  const ref = objectAt(from, isSecret ? 'secretKeyRef' : 'configMapKeyRef');
  const [name, key] = [textAt(ref, 'name'), textAt(ref, 'key')];
  const found = isSecret ? objects.secret(name) : objects.configMap(name);
  const data = found && dataOf(found);
  const value = data?.[key];
  if (value !== undefined) return value.toString('utf8');
  if (ref['optional'] === true) return undefined;
  if (found === undefined) throw missing(isSecret, name);
  const kind = isSecret ? 'Secret' : 'ConfigMap';
  const where = `${found.metadata.namespace ?? ''}/${name}`;
  throw new StartProblem('CreateContainerConfigError', `couldn't find key ${key} in ${kind} ${where}`);
}

function missing(isSecret: boolean, name: string): StartProblem {
  return new StartProblem(
    'CreateContainerConfigError',
    `${isSecret ? 'secret' : 'configmap'} "${name}" not found`,
  );
}

function valuesFrom(source: JsonObject, objects: ReferredObjects): Environment {
  const isSecret = 'secretRef' in source;
  const ref = objectAt(source, isSecret ? 'secretRef' : 'configMapRef');
  const name = textAt(ref, 'name');
  const found = isSecret ? objects.secret(name) : objects.configMap(name);
  if (found === undefined) {
    if (ref['optional'] === true) return {};
    throw missing(isSecret, name);
  }
  const prefix = textAt(source, 'prefix');
  const entries = Object.entries(dataOf(found)).map(([key, value]) => [
    `${prefix}${key}`,
    value.toString('utf8'),
  ]);
  return Object.fromEntries(entries) as Environment;
}

/** Returns the data of a ConfigMap or a Secret by key. */
export function dataOf(object: KubeObject): Record<string, Buffer> {
  const isSecret = object.kind === 'Secret';
  const decode = (field: string, encoding: BufferEncoding): [string, Buffer][] =>
    Object.entries(objectAt(object, field)).map(([key, value]) => [
      key,
      Buffer.from(String(value), encoding),
    ]);
  return Object.fromEntries([
    ...decode('data', isSecret ? 'base64' : 'utf8'),
    ...decode('binaryData', 'base64'),
  ]);
}

/** Returns the variables of the Services that have an address, in the format of Docker links. */
function serviceLinks(services: readonly KubeObject[]): Environment {
  const links: Environment = {};
  for (const service of services) {
    const ip = textAt(service, 'spec', 'clusterIP');
    const ports = objectsAt(service, 'spec', 'ports');
    const [first] = ports;
    if (ip === '' || ip === 'None' || first === undefined) continue;
    const prefix = service.metadata.name.toUpperCase().replaceAll('-', '_');
    links[`${prefix}_SERVICE_HOST`] = ip;
    links[`${prefix}_SERVICE_PORT`] = String(first['port']);
    for (const port of ports) {
      const name = textAt(port, 'name').toUpperCase().replaceAll('-', '_');
      if (name !== '') links[`${prefix}_SERVICE_PORT_${name}`] = String(port['port']);
    }
    const url = `${textAt(first, 'protocol').toLowerCase() || 'tcp'}://${ip}:${String(first['port'])}`;
    links[`${prefix}_PORT`] = url;
    for (const port of ports) Object.assign(links, portLinks(prefix, ip, port));
  }
  return links;
}

function portLinks(prefix: string, ip: string, { port, protocol }: JsonObject): Environment {
  const name = typeof protocol === 'string' ? protocol : 'TCP';
  const key = `${prefix}_PORT_${String(port)}_${name.toUpperCase()}`;
  return {
    [key]: `${name.toLowerCase()}://${ip}:${String(port)}`,
    [`${key}_PROTO`]: name.toLowerCase(),
    [`${key}_PORT`]: String(port),
    [`${key}_ADDR`]: ip,
  };
}
