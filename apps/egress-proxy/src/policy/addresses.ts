import { BlockList, isIP } from 'node:net';

/**
 * Ranges that public services do not use: the special-purpose registries of IANA (RFC 6890), which include metadata services, and the
 * forms in which an IPv6 address embeds an IPv4 address, because a gateway could translate them.
 */
const specialRanges = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15'],
  ...['198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4', '168.63.129.16/32'],
  ...[
    '::/96',
    '64:ff9b::/96',
    '64:ff9b:1::/48',
    '::ffff:0:0:0/96',
    '100::/64',
    '100:0:0:1::/64',
    '2001::/23',
    '2001:db8::/32',
    '2002::/16',
  ],
  ...['3fff::/20', '5f00::/16', 'fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
];

/** Maximum number of remembered answers of a set of ranges. */
const maxAnswers = 512;

/** The IPv6-mapped forms of all IPv4 addresses. */
const mappedBits = 96;
const mapped = new BlockList();
mapped.addSubnet('::ffff:0:0', mappedBits, 'ipv6');

/** A set of address ranges. An IPv4 address and its IPv6-mapped form are equal. */
export class AddressRanges {
  readonly #list = new BlockList();
  /** Ranges of IPv6 that can contain all mapped addresses, such as `::/0`. They do not apply to IPv4. */
  readonly #wide = new BlockList();
  /** The answers for addresses that were checked before: a check of the list costs ten times as much. */
  readonly #answers = new Map<string, boolean>();

  /** @param cidrs ranges such as `10.0.0.0/8`, or single addresses. @throws an Error that names the first text that is neither */
  constructor(cidrs: readonly string[]) {
    for (const cidr of cidrs) this.#add(cidr);
  }

  /** Returns whether a valid address is in one of the ranges. */
  has(address: string): boolean {
    const known = this.#answers.get(address);
    if (known !== undefined) return known;
    const answer = this.#check(address, familyOf(address));
    if (this.#answers.size >= maxAnswers) this.#answers.clear();
    this.#answers.set(address, answer);
    return answer;
  }

  #check(address: string, family: 'ipv4' | 'ipv6'): boolean {
    if (this.#list.check(address, family)) return true;
    return !mapped.check(address, family) && this.#wide.check(address, family);
  }

  #add(cidr: string): void {
    const [network = '', prefix, ...more] = cidr.split('/');
    const family = familyOf(network);
    const longest = family === 'ipv6' ? 128 : 32;
    const bits = prefix === undefined ? longest : Number(prefix);
    const isPrefix = prefix === undefined || /^\d{1,3}$/.test(prefix);
    if (isIP(network) === 0 || network.includes('%') || !isPrefix || bits > longest || more.length > 0) {
      throw new Error(`${JSON.stringify(cidr)} is not an address range; write one such as 10.0.0.0/8`);
    }
    const list = family === 'ipv6' && bits < mappedBits ? this.#wide : this.#list;
    list.addSubnet(network, bits, family);
  }
}

const special = new AddressRanges(specialRanges);

/** Returns whether an address belongs to a public host. Returns false for a text that is not an address. */
export function isPublic(address: string): boolean {
  return isIP(address) !== 0 && !address.includes('%') && !special.has(address);
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
