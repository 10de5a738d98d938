import { isIPv4, isIPv6 } from 'node:net';

/** An IP address as a number of 32 or 128 bits. */
export class IpAddress {
  constructor(
    readonly text: string,
    readonly family: 4 | 6,
    readonly bits: bigint,
  ) {}

  /** Undefined when the text is no IPv4 or IPv6 address; zones and IPv4-mapped addresses are refused, as the API does. */
  static parse(text: string): IpAddress | undefined {
    if (isIPv4(text)) return new IpAddress(text, 4, parseIPv4(text));
    if (!isIPv6(text) || text.includes('%')) return undefined;
    const bits = parseIPv6(text);
    return bits >> 32n === 0xffffn ? undefined : new IpAddress(text, 6, bits);
  }

  static ofBits(family: 4 | 6, bits: bigint): IpAddress {
    const [groups, width, separator] = family === 4 ? ([4, 8n, '.'] as const) : ([8, 16n, ':'] as const);
    const text = Array.from({ length: groups }, (_, index) => {
      const group = (bits >> (BigInt(groups - 1 - index) * width)) & ((1n << width) - 1n);
      return group.toString(family === 4 ? 10 : 16);
    });
    const address = new IpAddress(text.join(separator), family, bits);
    return new IpAddress(address.canonicalText, family, bits);
  }

  /** The shortest form of the address (RFC 5952). */
  get canonicalText(): string {
    return this.family === 4 ? this.text : new URL(`http://[${this.text}]`).hostname.slice(1, -1);
  }

  get isCanonical(): boolean {
    return this.text === this.canonicalText;
  }

  /** Whether the address is in the block that begins with `prefix` (a number of the same width) and has `length` bits fixed. */
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

  /** Undefined when the text is not an address, a slash and a prefix length. */
  static parse(text: string): Cidr | undefined {
    const match = /^([^/]+)\/(0|[1-9]\d{0,2})$/.exec(text);
    const address = IpAddress.parse(match?.[1] ?? '');
    const length = Number(match?.[2]);
    return address === undefined || length > address.width ? undefined : new Cidr(address, length);
  }

  get text(): string {
    return `${this.address.canonicalText}/${this.prefixLength}`;
  }

  /** The block with no bit set after the prefix. */
  get masked(): Cidr {
    const rest = BigInt(this.address.width - this.prefixLength);
    return new Cidr(
      IpAddress.ofBits(this.address.family, (this.address.bits >> rest) << rest),
      this.prefixLength,
    );
  }

  containsIp(ip: IpAddress): boolean {
    return ip.family === this.address.family && ip.within(this.address.bits, this.prefixLength);
  }

  containsCidr(other: Cidr): boolean {
    return other.prefixLength >= this.prefixLength && this.containsIp(other.address);
  }

  /** Whether the address has no bit set after the prefix. */
  get isMasked(): boolean {
    const rest = BigInt(this.address.width - this.prefixLength);
    return (this.address.bits >> rest) << rest === this.address.bits;
  }
}

function parseIPv4(text: string): bigint {
  return text.split('.').reduce((bits, part) => (bits << 8n) | BigInt(part), 0n);
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
