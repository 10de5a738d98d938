import { invalid, required } from '../field-error.js';
import { at, child } from '../path.js';
import type { Cause } from '../types.js';
import type { CrdNames } from './model.js';

const dns1035 = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const dns1123 = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const dns1035Error =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const dns1123Error =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

/** Returns the problems with a DNS-1035 label, in the API server's words. */
export function labelErrors(text: string): string[] {
  return [
    ...(text.length > 63 ? ['must be no more than 63 characters'] : []),
    ...(dns1035.test(text) ? [] : [dns1035Error]),
  ];
}

/** Returns the problems with a DNS-1123 subdomain, in the API server's words. */
export function subdomainErrors(text: string): string[] {
  return [
    ...(text.length > 253 ? ['must be no more than 253 characters'] : []),
    ...(dns1123.test(text) ? [] : [dns1123Error]),
  ];
}

/** Checks `spec.names`. */
export function checkNames(names: CrdNames, path: string): Cause[] {
  const { plural = '', singular = '', kind = '', listKind = '', shortNames = [], categories = [] } = names;
  const causes: Cause[] = [];
  for (const [name, value] of Object.entries({ plural, singular, kind, listKind })) {
    if (value === '') causes.push(required(child(path, name)));
  }
  const check = (field: string, text: string, mixedCase: boolean): void => {
    const errors = labelErrors(mixedCase ? text.toLowerCase() : text);
    if (text === '' || errors.length === 0) return;
    const prefix = mixedCase ? 'may have mixed case, but should otherwise match: ' : '';
    causes.push(invalid(field, text, prefix + errors.join(',')));
  };
  check(child(path, 'plural'), plural, false);
  check(child(path, 'singular'), singular, false);
  check(child(path, 'kind'), kind, true);
  check(child(path, 'listKind'), listKind, true);
  for (const [index, text] of shortNames.entries())
    causes.push(...checkLabel(at(child(path, 'shortNames'), index), text));
  if (kind !== '' && kind === listKind) {
    causes.push(invalid(child(path, 'listKind'), listKind, 'kind and listKind may not be the same'));
  }
  for (const [index, text] of categories.entries())
    causes.push(...checkLabel(at(child(path, 'categories'), index), text));
  return causes;
}

/** Checks that a field is a DNS-1035 label. */
export function checkLabel(path: string, text: string): Cause[] {
  const errors = labelErrors(text);
  return errors.length === 0 ? [] : [invalid(path, text, errors.join(','))];
}
