import { Quantity } from '@interlock/api/quantities';
import type { Environment } from '@marcbachmann/cel-js';
import { Optional } from '@marcbachmann/cel-js';
import { Cidr, IpAddress } from './ip.js';
import { formatCheck, isRequestUri } from '../formats.js';

class KubernetesUrl {
  constructor(readonly text: string) {}

  /** The parts of a URL; an absolute path has neither a scheme nor a host. */
  get parts(): URL {
    return new URL(this.text, 'none://none');
  }

  get isPath(): boolean {
    return this.text.startsWith('/');
  }
}

/** Registers Kubernetes' URL library: url, isURL and the accessors of a URL. */
export function registerUrls(env: Environment): void {
  env
    .registerType('kubernetes.URL', KubernetesUrl)
    .registerFunction('isURL(string): bool', isRequestUri)
    .registerFunction('url(string): kubernetes.URL', (text: string) => {
      if (!isRequestUri(text))
        throw new Error(`URL parse error during conversion from string: invalid URI ${text}`);
      return new KubernetesUrl(text);
    })
    .registerFunction('kubernetes.URL.getScheme(): string', (url: KubernetesUrl) =>
      url.isPath ? '' : url.parts.protocol.replace(/:$/, ''),
    )
    .registerFunction('kubernetes.URL.getHost(): string', (url: KubernetesUrl) =>
      url.isPath ? '' : url.parts.host,
    )
    .registerFunction('kubernetes.URL.getHostname(): string', (url: KubernetesUrl) =>
      url.isPath ? '' : url.parts.hostname.replace(/^\[|\]$/g, ''),
    )
    .registerFunction('kubernetes.URL.getPort(): string', (url: KubernetesUrl) => url.parts.port)
    .registerFunction('kubernetes.URL.getEscapedPath(): string', (url: KubernetesUrl) => url.parts.pathname)
    .registerFunction(
      'kubernetes.URL.getQuery(): map<string, list<string>>',
      (url: KubernetesUrl) =>
        new Map(
          [...url.parts.searchParams.keys()].map((key) => [key, [...url.parts.searchParams.getAll(key)]]),
        ),
    );
}

function parseQuantity(text: string): Quantity {
  const quantity = Quantity.parse(text);
  if (quantity === undefined) {
    throw new Error(
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    );
  }
  return quantity;
}

/** Registers Kubernetes' quantity library. */
export function registerQuantities(env: Environment): void {
  const type = 'kubernetes.Quantity';
  env
    .registerType(type, Quantity)
    .registerFunction('isQuantity(string): bool', (text: string) => Quantity.parse(text) !== undefined)
    .registerFunction(`quantity(string): ${type}`, parseQuantity)
    .registerFunction(`sign(${type}): int`, (q: Quantity) => q.compareTo(new Quantity(0n)))
    .registerFunction(`${type}.isInteger(): bool`, (q: Quantity) => q.isInteger)
    .registerFunction(`${type}.asInteger(): int`, (q: Quantity) => q.asInteger())
    .registerFunction(`${type}.asApproximateFloat(): double`, (q: Quantity) => q.asApproximateFloat())
    .registerFunction(
      `${type}.isGreaterThan(${type}): bool`,
      (a: Quantity, b: Quantity) => a.compareTo(b) > 0n,
    )
    .registerFunction(`${type}.isLessThan(${type}): bool`, (a: Quantity, b: Quantity) => a.compareTo(b) < 0n)
    .registerFunction(`${type}.compareTo(${type}): int`, (a: Quantity, b: Quantity) => a.compareTo(b))
    .registerFunction(
      `${type}.add(${type}): ${type}`,
      (a: Quantity, b: Quantity) => new Quantity(a.nanos + b.nanos),
    )
    .registerFunction(
      `${type}.sub(${type}): ${type}`,
      (a: Quantity, b: Quantity) => new Quantity(a.nanos - b.nanos),
    )
    .registerFunction(`${type}.add(int): ${type}`, (q: Quantity, more: bigint) => q.plus(more))
    .registerFunction(`${type}.sub(int): ${type}`, (q: Quantity, less: bigint) => q.plus(-less))
    .registerOperator(`${type} == ${type}`, (a: Quantity, b: Quantity) => a.nanos === b.nanos);
}

class IpNamespace {
  readonly name = 'ip';
}

function parseIp(text: string): IpAddress {
  const ip = IpAddress.parse(text);
  if (ip === undefined) throw new Error(`IP Address "${text}" parse error during conversion from string`);
  return ip;
}

function parseCidr(text: string): Cidr {
  const cidr = Cidr.parse(text);
  if (cidr === undefined)
    throw new Error(`network address parse error during conversion from string: "${text}"`);
  return cidr;
}

/** Registers Kubernetes' IP and CIDR libraries. */
export function registerAddresses(env: Environment): void {
  env
    .registerType('net.IP', IpAddress)
    .registerType('net.CIDR', Cidr)
    .registerFunction('isIP(string): bool', (text: string) => IpAddress.parse(text) !== undefined)
    .registerFunction('ip(string): net.IP', parseIp)
    .registerFunction('string(net.IP): string', (ip: IpAddress) => ip.text)
    .registerType('IpNamespace', IpNamespace)
    .registerConstant('ip', 'IpNamespace', new IpNamespace())
    .registerFunction(
      'IpNamespace.isCanonical(string): bool',
      (_: IpNamespace, text: string) => parseIp(text).isCanonical,
    )
    .registerFunction('net.IP.family(): int', (ip: IpAddress) => BigInt(ip.family))
    .registerFunction('net.IP.isUnspecified(): bool', (ip: IpAddress) => ip.bits === 0n)
    .registerFunction('net.IP.isLoopback(): bool', (ip: IpAddress) => ip.isLoopback)
    .registerFunction('net.IP.isLinkLocalMulticast(): bool', (ip: IpAddress) => ip.isLinkLocalMulticast)
    .registerFunction('net.IP.isLinkLocalUnicast(): bool', (ip: IpAddress) => ip.isLinkLocalUnicast)
    .registerFunction('net.IP.isGlobalUnicast(): bool', (ip: IpAddress) => ip.isGlobalUnicast)
    .registerOperator(
      'net.IP == net.IP',
      (a: IpAddress, b: IpAddress) => a.family === b.family && a.bits === b.bits,
    )
    .registerFunction('isCIDR(string): bool', (text: string) => Cidr.parse(text) !== undefined)
    .registerFunction('cidr(string): net.CIDR', parseCidr)
    .registerFunction('string(net.CIDR): string', (cidr: Cidr) => cidr.text)
    .registerFunction('net.CIDR.masked(): net.CIDR', (cidr: Cidr) => cidr.masked)
    .registerOperator('net.CIDR == net.CIDR', (a: Cidr, b: Cidr) => a.equals(b))
    .registerFunction('net.CIDR.ip(): net.IP', (cidr: Cidr) => cidr.address)
    .registerFunction('net.CIDR.prefixLength(): int', (cidr: Cidr) => BigInt(cidr.prefixLength))
    .registerFunction('net.CIDR.containsIP(string): bool', (cidr: Cidr, ip: string) =>
      cidr.containsIp(parseIp(ip)),
    )
    .registerFunction('net.CIDR.containsIP(net.IP): bool', (cidr: Cidr, ip: IpAddress) => cidr.containsIp(ip))
    .registerFunction('net.CIDR.containsCIDR(string): bool', (cidr: Cidr, other: string) =>
      cidr.containsCidr(parseCidr(other)),
    )
    .registerFunction('net.CIDR.containsCIDR(net.CIDR): bool', (cidr: Cidr, other: Cidr) =>
      cidr.containsCidr(other),
    );
}

class NamedFormat {
  constructor(
    readonly name: string,
    readonly check: (text: string) => boolean,
  ) {}
}
class FormatNamespace {
  readonly name = 'format';
}

const labelValuePattern = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const qualifiedName = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]$/;
const dns1035 = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;

/** Returns the text to check for a prefix, which may end with a dash, because it is extended. */
function asPrefix(text: string): string {
  return text.replace(/(.)-$/, '$1a');
}

const namedFormats: readonly NamedFormat[] = [
  new NamedFormat('dns1123Label', (text) => formatCheck('k8s-short-name')?.(text) === true),
  new NamedFormat('dns1123Subdomain', (text) => formatCheck('k8s-long-name')?.(text) === true),
  new NamedFormat('dns1035Label', (text) => text.length <= 63 && dns1035.test(text)),
  new NamedFormat('qualifiedName', (text) => qualifiedName.test(text)),
  new NamedFormat('dns1123LabelPrefix', (text) => formatCheck('k8s-short-name')?.(asPrefix(text)) === true),
  new NamedFormat(
    'dns1123SubdomainPrefix',
    (text) => formatCheck('k8s-long-name')?.(asPrefix(text)) === true,
  ),
  new NamedFormat('dns1035LabelPrefix', (text) => text.length <= 63 && dns1035.test(asPrefix(text))),
  new NamedFormat('labelValue', (text) => text.length <= 63 && labelValuePattern.test(text)),
  ...['uri', 'uuid', 'byte', 'date', 'datetime'].map(
    (name) => new NamedFormat(name, (text) => formatCheck(name)?.(text) === true),
  ),
];

/** Registers Kubernetes' format library (`format.named("uuid")`, `format.dns1123Label().validate(…)`). */
export function registerFormats(env: Environment): void {
  env
    .registerType('kubernetes.NamedFormat', NamedFormat)
    .registerType('kubernetes.FormatNamespace', FormatNamespace)
    .registerConstant('format', 'kubernetes.FormatNamespace', new FormatNamespace())
    .registerFunction(
      'kubernetes.FormatNamespace.named(string): optional<kubernetes.NamedFormat>',
      (_: FormatNamespace, name: string) => {
        const format = namedFormats.find((candidate) => candidate.name === name);
        return format === undefined ? Optional.none() : Optional.of(format);
      },
    )
    .registerFunction(
      'kubernetes.NamedFormat.validate(string): optional<list<string>>',
      (format: NamedFormat, text: string) =>
        format.check(text) ? Optional.none() : Optional.of([`must be a valid ${format.name}`]),
    );
  for (const format of namedFormats) {
    env.registerFunction(`kubernetes.FormatNamespace.${format.name}(): kubernetes.NamedFormat`, () => format);
  }
}
