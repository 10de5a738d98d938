import { textAt, valueAt } from '../../object.js';
import { checkLabel } from '../../registry/names.js';
import { IpAddress } from '../../schema/cel/ip.js';
import { invalid, notSupported, required } from '../../schema/field-error.js';
import type { Cause, JsonObject } from '../../schema/types.js';

const protocols = ['SCTP', 'TCP', 'UDP'];

/**
 * Returns the problems with the address of an endpoint. Unlike in a real cluster, a loopback address is accepted,
 * because pods that run as local processes have loopback addresses. Source: core validation, ValidateEndpointIP.
 */
export function validateAddress(text: string, field: string): Cause[] {
  const address = IpAddress.parse(text);
  if (address === undefined) {
    return [invalid(field, text, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')];
  }
  if (address.bits === 0n) return [invalid(field, text, 'may not be unspecified (0.0.0.0 or ::)')];
  if (address.isLinkLocalUnicast) {
    return [invalid(field, text, 'may not be in the link-local range (169.254.0.0/16, fe80::/10)')];
  }
  if (address.isLinkLocalMulticast) {
    return [invalid(field, text, 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)')];
  }
  return [];
}

/** Returns the problems with a port of Endpoints. `isNamed`: the port has to have a name. */
export function validatePort(port: JsonObject, path: string, { isNamed }: { isNamed: boolean }): Cause[] {
  const name = textAt(port, 'name');
  const wrongName = name === '' ? undefined : checkLabel(name);
  const number = valueAt(port, 'port');
  const protocol = textAt(port, 'protocol');
  return [
    ...(name === '' && isNamed ? [required(`${path}.name`)] : []),
    ...(wrongName === undefined ? [] : [invalid(`${path}.name`, name, wrongName)]),
    ...(typeof number === 'number' && number >= 1 && number <= 65535
      ? []
      : [invalid(`${path}.port`, number ?? 0, 'must be between 1 and 65535, inclusive')]),
    ...validateProtocol(protocol, `${path}.protocol`),
  ];
}

/** Returns the problems with the protocol of a port. */
export function validateProtocol(protocol: string, field: string): Cause[] {
  if (protocol === '') return [required(field)];
  return protocols.includes(protocol) ? [] : [notSupported(field, protocol, protocols)];
}
