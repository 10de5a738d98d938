import { objectAt, objectsAt, textAt, textsAt, type KubeObject } from '../../object.js';
import { Cidr } from '../../schema/cel/ip.js';
import { forbidden, invalid, notSupported, required } from '../../schema/field-error.js';
import { isObject } from '../../schema/json.js';
import type { Cause, JsonObject } from '../../schema/types.js';
import { validateLabelSelector } from '../meta/label-selector.js';

const protocols = ['TCP', 'UDP', 'SCTP'];
const policyTypes = ['Ingress', 'Egress'];

/** Returns the problems with a NetworkPolicy. Source: pkg/apis/networking/validation. */
export function validateNetworkPolicy(o: KubeObject): Cause[] {
  const spec = objectAt(o, 'spec');
  return [
    ...validateLabelSelector(objectAt(spec, 'podSelector'), 'spec.podSelector'),
    ...validateRules(spec, 'ingress', 'from'),
    ...validateRules(spec, 'egress', 'to'),
    ...validateTypes(textsAt(spec, 'policyTypes')),
  ];
}

function validateRules(spec: JsonObject, direction: string, peers: string): Cause[] {
  return objectsAt(spec, direction).flatMap((rule, index) => {
    const path = `spec.${direction}[${String(index)}]`;
    return [
      ...objectsAt(rule, 'ports').flatMap((port, at) => validatePort(port, `${path}.ports[${String(at)}]`)),
      ...objectsAt(rule, peers).flatMap((peer, at) => validatePeer(peer, `${path}.${peers}[${String(at)}]`)),
    ];
  });
}

function validateTypes(types: readonly string[]): Cause[] {
  if (types.length > policyTypes.length) {
    return [invalid('spec.policyTypes', types, 'may not specify more than two policyTypes')];
  }
  return types.flatMap((type, index) =>
    policyTypes.includes(type) ? [] : [notSupported(`spec.policyTypes[${String(index)}]`, type, policyTypes)],
  );
}

function validatePort({ protocol, port, endPort }: JsonObject, path: string): Cause[] {
  const causes: Cause[] =
    protocol === undefined || (typeof protocol === 'string' && protocols.includes(protocol))
      ? []
      : [notSupported(`${path}.protocol`, protocol, protocols)];
  const end = (why: string): Cause[] =>
    endPort === undefined ? [] : [invalid(`${path}.endPort`, endPort, why)];
  if (typeof port === 'number') {
    const isBefore = typeof endPort === 'number' && endPort < port;
    return [
      ...causes,
      ...validateNumber(port, `${path}.port`),
      ...(isBefore ? end('must be greater than or equal to `port`') : []),
      ...(typeof endPort === 'number' ? validateNumber(endPort, `${path}.endPort`) : []),
    ];
  }
  if (typeof port === 'string') {
    const wrong = wrongPortName(port).map((why) => invalid(`${path}.port`, port, why));
    return [...causes, ...end('may not be specified when `port` is non-numeric'), ...wrong];
  }
  return [...causes, ...end('may not be specified when `port` is not specified')];
}

function validateNumber(port: number, field: string): Cause[] {
  return port >= 1 && port <= 65535 ? [] : [invalid(field, port, 'must be between 1 and 65535, inclusive')];
}

/** Returns the problems with the name of a port. Source: apimachinery util/validation, IsValidPortName. */
function wrongPortName(name: string): string[] {
  const rules: readonly (readonly [boolean, string])[] = [
    [name.length > 15, 'must be no more than 15 characters'],
    [!/^[-a-z0-9]+$/.test(name), 'must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)'],
    [!/[a-z]/.test(name), 'must contain at least one letter (a-z)'],
    [name.includes('--'), 'must not contain consecutive hyphens'],
    [/^-|-$/.test(name), 'must not begin or end with a hyphen'],
  ];
  return rules.filter(([isBroken]) => isBroken).map(([, rule]) => rule);
}

function validatePeer(peer: JsonObject, path: string): Cause[] {
  const { podSelector, namespaceSelector, ipBlock } = peer;
  const given = [podSelector, namespaceSelector, ipBlock].filter(isObject);
  const causes = [
    ...(isObject(podSelector) ? validateLabelSelector(podSelector, `${path}.podSelector`) : []),
    ...(isObject(namespaceSelector)
      ? validateLabelSelector(namespaceSelector, `${path}.namespaceSelector`)
      : []),
    ...(isObject(ipBlock) ? validateBlock(ipBlock, `${path}.ipBlock`) : []),
  ];
  if (given.length === 0) return [...causes, required(path, 'must specify a peer')];
  if (given.length === 1 || !isObject(ipBlock)) return causes;
  return [...causes, forbidden(path, 'may not specify both ipBlock and another peer')];
}

const cidrRule = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

function validateBlock(block: JsonObject, path: string): Cause[] {
  const text = textAt(block, 'cidr');
  if (text === '') return [required(`${path}.cidr`)];
  const cidr = Cidr.parse(text);
  if (cidr === undefined) return [invalid(`${path}.cidr`, text, cidrRule)];
  return textsAt(block, 'except').flatMap((exceptText, index) => {
    const field = `${path}.except[${String(index)}]`;
    const except = Cidr.parse(exceptText);
    if (except === undefined) return [invalid(field, exceptText, cidrRule)];
    const isSubset = except.prefixLength > cidr.prefixLength && cidr.containsIp(except.address);
    return isSubset ? [] : [invalid(field, exceptText, 'must be a strict subset of `cidr`')];
  });
}
