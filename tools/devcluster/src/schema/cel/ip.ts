import { isIPv4, isIPv6 } from 'node:net';

/** An IP address as a number of 32 or 128 bits. */
export class IpAddress {
  constructor(
    readonly text: string,
    readonly family: 4 | 6,
    readonly bits: bigint,
  ) {}

  /** Returns the address with these bits, in its canonical form. */
  static of(family: 4 | 6, bits: bigint): IpAddress {
    const text = family === 4 ? writeIPv4(bits) : canonicalIPv6(bits);
    return new IpAddress(text, family, bits);
  }

  /**
   * Parses an IPv4 or IPv6 address. Returns undefined for other text, including zones and IPv4-mapped addresses, as the
   * API server does.
   */
  static parse(text: string): IpAddress | undefined {
    if (isIPv4(text)) return new IpAddress(text, 4, parseIPv4(text));
    if (!isIPv6(text) || text.includes('%')) return undefined;
    const bits = parseIPv6(text);
    return bits >> 32n === 0xffffn ? undefined : new IpAddress(text, 6, bits);
  }

  /** Whether the text equals the text that Go writes for the address: lower case, without the longest run of zeros. */
  get isCanonical(): boolean {
    return this.family === 4 || this.text === canonicalIPv6(this.bits);
  }

  /**
   * Returns whether the address is in the block that begins with `prefix` (a number of the same width) and has `length`
   * bits fixed.
   */
  within(prefix: bigint, length: number): boolean {
    const rest = BigInt(this.width - length);
    return this.bits >> rest === prefix >> rest;
  }

  get width(): number {
    return this.family === 4 ? 32 : 128;
  }

  get isLoopback(): boolean {
    return this.family === 4 ? this.within(0x7f000000n, 8) : this.bits === 1n;
  }

  get isLinkLocalMulticast(): boolean {
    return this.family === 4 ? this.within(0xe0000000n, 24) : this.within(0xff02n << 112n, 16);
  }

  get isLinkLocalUnicast(): boolean {
    return this.family === 4 ? this.within(0xa9fe0000n, 16) : this.within(0xfe80n << 112n, 10);
  }

  get isMulticast(): boolean {
    return this.family === 4 ? this.within(0xe0000000n, 4) : this.within(0xffn << 120n, 8);
  }

  get isGlobalUnicast(): boolean {
    const isBroadcast = this.family === 4 && this.bits === 0xffffffffn;
    return (
      this.bits !== 0n && !isBroadcast && !this.isLoopback && !this.isMulticast && !this.isLinkLocalUnicast
    );
  }
}

/** A block of addresses: an address and the number of leading bits that count. */
export class Cidr {
  constructor(
    readonly address: IpAddress,
    readonly prefixLength: number,
  ) {}

  /** Parses an address with a prefix length. Returns undefined for other text. */
  static parse(text: string): Cidr | undefined {
    const match = /^([^/]+)\/(0|[1-9]\d{0,2})$/.exec(text);
    const address = IpAddress.parse(match?.[1] ?? '');
    const length = Number(match?.[2]);
    return address === undefined || length > address.width ? undefined : new Cidr(address, length);
  }

  containsIp(ip: IpAddress): boolean {
    return ip.family === this.address.family && ip.within(this.address.bits, this.prefixLength);
  }

  containsCidr(other: Cidr): boolean {
    return other.prefixLength >= this.prefixLength && this.containsIp(other.address);
  }

  /** The text of the block, with the unchanged address. */
  get text(): string {
    return `${this.address.text}/${this.prefixLength}`;
  }

  equals(other: Cidr): boolean {
    return (
      this.prefixLength === other.prefixLength &&
      this.address.family === other.address.family &&
      this.address.bits === other.address.bits
    );
  }

  /** Returns the same block without host bits. */
  get masked(): Cidr {
    const rest = BigInt(this.address.width - this.prefixLength);
    return new Cidr(
      IpAddress.of(this.address.family, (this.address.bits >> rest) << rest),
      this.prefixLength,
    );
  }
}

/**
 * Returns an address in the format of RFC 5952: groups without leading zeros; the first of the longest runs of two or
 * more zero groups is `::`.
 */
function canonicalIPv6(bits: bigint): string {
  const groups = Array.from({ length: 8 }, (_, n) => ((bits >> BigInt(112 - 16 * n)) & 0xffffn).toString(16));
  const runs = [...groups.join(':').matchAll(/(?<![^:])0(?::0)+(?![^:])/g)];
  const longest = runs.reduce((length, [run]) => Math.max(length, run.length), 0);
  const run = runs.find(([text]) => text.length === longest);
  if (run === undefined) return groups.join(':');
  const text = groups.join(':');
  return `${text.slice(0, Math.max(0, run.index - 1))}::${text.slice(run.index + longest + 1)}`;
}

function parseIPv4(text: string): bigint {
  return text.split('.').reduce((bits, part) => (bits << 8n) | BigInt(part), 0n);
}

function writeIPv4(bits: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => String((bits >> shift) & 0xffn)).join('.');
}

function parseIPv6(text: string): bigint {
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  const [, head = '', tail = ''] = dotted ?? [];
  const low = dotted === null ? 0n : parseIPv4(tail);
  const plain =
    dotted === null ? text : `${head}${(low >> 16n).toString(16)}:${(low & 0xffffn).toString(16)}`;
  const [left = '', right] = plain.split('::');
  const groups = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const before = groups(left);
  const after = right === undefined ? [] : groups(right);
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after].reduce((bits, group) => (bits << 16n) | BigInt(`0x${group}`), 0n);
}
