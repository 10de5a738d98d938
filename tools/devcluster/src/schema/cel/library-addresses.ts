import type { Environment } from '@marcbachmann/cel-js';
import { Cidr, IpAddress } from './ip.js';

/** The receiver of `ip.isCanonical`. */
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

/** Kubernetes' IP and CIDR libraries. */
export function registerAddresses(env: Environment): void {
  env
    .registerType('net.IP', IpAddress)
    .registerType('net.CIDR', Cidr)
    .registerFunction('isIP(string): bool', (text: string) => IpAddress.parse(text) !== undefined)
    .registerFunction('ip(string): net.IP', parseIp)
    .registerFunction('string(net.IP): string', (ip: IpAddress) => ip.canonicalText)
    .registerType('net.IPNamespace', IpNamespace)
    .registerConstant('ip', 'net.IPNamespace', new IpNamespace())
    .registerFunction(
      'net.IPNamespace.isCanonical(string): bool',
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
    .registerOperator('net.CIDR == net.CIDR', (a: Cidr, b: Cidr) => a.text === b.text)
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
