import { isIP, isIPv4, isIPv6 } from 'node:net';
import { parseGoDuration } from './go-duration.js';

const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const hostname =
  /^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9\p{S}\p{L}-]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.))+([a-zA-Z0-9\p{S}\p{L}])(-?[a-zA-Z0-9\p{S}\p{L}]){1,62})$/u;
const dateTime = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(\.\d+)?([Zz]|[+-]\d\d:?\d\d)$/;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/;
const dnsLabel = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const dnsSubdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

const checks: Readonly<Record<string, (text: string) => boolean>> = {
  bsonobjectid: (text) => /^[0-9a-f]{24}$/i.test(text),
  uri: isRequestUri,
  email: (text) => /^(?:[^<>]*<)?[^\s<>@"(),:;[\]\\]+@[^\s<>@"(),:;\\]+>?$/.test(text),
  hostname: (text) =>
    text.length <= 255 && hostname.test(text) && text.split('.').every((p) => p.length <= 63),
  ipv4: isIPv4,
  ipv6: isIPv6,
  cidr: isCidr,
  mac: (text) =>
    /^([0-9a-f]{2}([:-])([0-9a-f]{2}\2){4,6}[0-9a-f]{2}|([0-9a-f]{4}\.){2,3}[0-9a-f]{4})$/i.test(text),
  uuid: (text) => uuid.test(text),
  uuid3: (text) => uuid.test(text) && hexDigit(text, 12) === '3',
  uuid4: (text) => uuid.test(text) && hexDigit(text, 12) === '4' && '89ab'.includes(hexDigit(text, 16)),
  uuid5: (text) => uuid.test(text) && hexDigit(text, 12) === '5' && '89ab'.includes(hexDigit(text, 16)),
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: isCreditCard,
  ssn: (text) => /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text),
  hexcolor: (text) => /^#?([0-9a-f]{3}|[0-9a-f]{6})$/i.test(text),
  rgbcolor: isRgbColor,
  byte: (text) => base64.test(text),
  password: () => true,
  date: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && isDate(text),
  duration: (text) => parseGoDuration(text) !== undefined || isHumanDuration(text),
  datetime: isDateTime,
  k8sshortname: (text) => text.length <= 63 && dnsLabel.test(text),
  k8slongname: (text) => text.length <= 253 && dnsSubdomain.test(text),
};

/**
 * Returns the check of a string format, or undefined for a format that the API server ignores in custom resources
 * (`int32`, `int64`, `double` and everything that is not in its list).
 *
 * @see https://github.com/kubernetes/apiextensions-apiserver/blob/master/pkg/apiserver/validation/formats.go
 */
export function formatCheck(format: string | undefined): ((text: string) => boolean) | undefined {
  if (format === undefined) return undefined;
  const name = format.replaceAll('-', '');
  return Object.hasOwn(checks, name) ? checks[name] : undefined;
}

/** Returns whether a text is an RFC 3339 date-time of a day that exists. */
function isDateTime(text: string): boolean {
  const match = dateTime.exec(text);
  if (match === null) return false;
  const [, year, month, day, hour, minute, second] = match;
  return (
    isDate(`${year}-${month}-${day}`) && Number(hour) <= 23 && Number(minute) <= 59 && Number(second) <= 59
  );
}

function isDate(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** Returns whether a text is an address with a prefix length (`10.0.0.0/8`). */
function isCidr(text: string): boolean {
  const match = /^(.+)\/(\d{1,3})$/.exec(text);
  const [, address = '', bits = ''] = match ?? [];
  const family = isIP(address);
  return family !== 0 && !/^0\d/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
}

/** Returns whether a text is an absolute URI or an absolute path, as Go's `url.ParseRequestURI` accepts. */
export function isRequestUri(text: string): boolean {
  if (text === '' || [...text].some((c) => c <= ' ' || c === '\x7f')) return false;
  if (text.startsWith('/')) return true;
  return /^[a-zA-Z][a-zA-Z0-9+.-]*:/.test(text) && URL.canParse(text);
}

function isHumanDuration(text: string): boolean {
  const units =
    'ns|nano|nanosecond|us|µs|micro|microsecond|ms|milli|millisecond|s|sec|second|m|min|minute|h|hr|hour|d|day|w|wk|week';
  return new RegExp(`^(\\d+(\\.\\d+)?\\s*(${units})s?\\s*)+$`).test(text);
}

function hexDigit(text: string, index: number): string {
  return text.replaceAll('-', '').charAt(index).toLowerCase();
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]/g, '');
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  const sum = [...digits].reduce((total, d, i) => total + (10 - i) * (d === 'X' ? 10 : Number(d)), 0);
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]/g, '');
  if (!/^\d{13}$/.test(digits)) return false;
  return [...digits].reduce((total, d, i) => total + Number(d) * (i % 2 === 0 ? 1 : 3), 0) % 10 === 0;
}

function isCreditCard(text: string): boolean {
  const digits = text.replace(/\D/g, '');
  if (!/^\d{13,19}$/.test(digits)) return false;
  const sum = [...digits].reverse().reduce((total, d, i) => {
    const doubled = Number(d) * (i % 2 === 0 ? 1 : 2);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}

function isRgbColor(text: string): boolean {
  const match = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/.exec(text);
  return match !== null && match.slice(1).every((part) => Number(part) <= 255);
}
