import { BlockList, isIP } from 'node:net';

/**
 * Returns whether a host is reached without the proxy. The rules are the same as in Go's `httpproxy`, which Kubernetes programs
 * use: `*` matches every host, `name` a host and its subdomains, `.name` only the subdomains; a rule can also be an address or a
 * range such as `10.0.0.0/8`, and may end with a port. Loopback hosts never use a proxy.
 */
export function bypassesProxy(url: URL, noProxy: string): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  if (host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))) return true;
  return noProxy.split(',').some((rule) => matches(rule.trim().toLowerCase(), host, port));
}

function matches(rule: string, host: string, port: string): boolean {
  if (rule === '') return false;
  if (rule === '*') return true;
  if (rule.includes('/')) return isInRange(rule, host);
  const [name, rulePort] = splitPort(rule);
  if (rulePort !== undefined && rulePort !== port) return false;
  /* An address of IPv6 has several forms. */
  if (isIP(name) !== 0) return isInRange(`${name}/${isIP(name) === 4 ? 32 : 128}`, host);
  const suffix = name.startsWith('*.') ? name.slice(1) : name;
  return suffix.startsWith('.') ? host.endsWith(suffix) : host === suffix || host.endsWith(`.${suffix}`);
}

function isInRange(rule: string, host: string): boolean {
  const [network = '', prefix = ''] = rule.split('/');
  const family = isIP(network);
  const bits = Number(prefix);
  const isValid = family !== 0 && /^\d{1,3}$/.test(prefix) && bits <= (family === 4 ? 32 : 128);
  if (!isValid || isIP(host) !== family) return false;
  const list = new BlockList();
  const type = family === 4 ? 'ipv4' : 'ipv6';
  list.addSubnet(network, bits, type);
  return list.check(host, type);
}

function splitPort(rule: string): [string, string | undefined] {
  if (isIP(rule) !== 0) return [rule, undefined];
  if (rule.startsWith('[') && rule.endsWith(']')) return [rule.slice(1, -1), undefined];
  const colon = rule.lastIndexOf(':');
  if (colon < 0) return [rule, undefined];
  return [rule.slice(0, colon).replace(/^\[|\]$/g, ''), rule.slice(colon + 1)];
}
