import { isIP } from 'node:net';
import { refuse, type Refusal } from '../refusal.js';
import { AddressRanges, isPublic } from './addresses.js';
import { HostPatterns } from './host-patterns.js';

export interface PolicyOptions {
  /** `name` or `*.suffix`. With no host and no range, every public host is allowed. */
  hosts: readonly string[];
  /** Ranges of addresses that are allowed whatever the host is called, private ones too. */
  cidrs: readonly string[];
  /** Ports that are allowed. */
  ports: readonly number[];
  /** Addresses of this machine, which are refused unless a range allows them. */
  ownAddresses?: readonly string[] | undefined;
}

/**
 * Decides which targets a client may reach: first by what it asks for, then by each address that the name has. An address that is
 * not public is refused unless a range of the operator has it, so that no name leads into the cluster.
 */
export class Policy {
  readonly #hosts: HostPatterns;
  readonly #ranges: AddressRanges;
  readonly #own: AddressRanges;
  readonly #ports: ReadonlySet<number>;
  readonly #hasRanges: boolean;
  readonly #allowsAnyHost: boolean;

  /** @throws an Error that names what is not a host pattern or not a range */
  constructor({ hosts, cidrs, ports, ownAddresses = [] }: PolicyOptions) {
    this.#hosts = new HostPatterns(hosts);
    this.#ranges = new AddressRanges(cidrs);
    this.#own = new AddressRanges(ownAddresses);
    this.#ports = new Set(ports);
    this.#hasRanges = cidrs.length > 0;
    this.#allowsAnyHost = this.#hosts.size === 0 && !this.#hasRanges;
  }

  /** Returns why a target is refused before its name is resolved; undefined when its addresses decide. */
  checkTarget(host: string, port: number): Refusal | undefined {
    if (!this.#ports.has(port)) {
      const ports = [...this.#ports].join(', ');
      return refuse(403, 'PortNotAllowed', `port ${port} is not allowed; allowed are: ${ports}`);
    }
    if (isIP(host) !== 0) return this.#isPermitted(host, host) ? undefined : this.#refusal(host);
    /* A name that only a range could allow is resolved; without ranges no lookup carries what a client wants to smuggle out. */
    return this.#isNamed(host) || this.#hasRanges ? undefined : this.#refusal(host);
  }

  /** Returns those of the addresses of a host name that may be dialled, in their order, or why none may. */
  permit(host: string, addresses: readonly string[]): readonly string[] | Refusal {
    const permitted = addresses.filter((address) => this.#isPermitted(host, address));
    if (permitted.length > 0) return permitted;
    if (!this.#isNamed(host)) return this.#refusal(host);
    return refuse(
      403,
      'AddressNotAllowed',
      `${host} resolves to addresses that are not public; allow their range if the host is meant to be reached`,
    );
  }

  #isPermitted(host: string, address: string): boolean {
    if (isIP(address) === 0 || address.includes('%')) return false;
    if (this.#hasRanges && this.#ranges.has(address)) return true;
    return this.#isNamed(host) && isPublic(address) && !this.#own.has(address);
  }

  #isNamed(host: string): boolean {
    return this.#allowsAnyHost || this.#hosts.matches(host);
  }

  #refusal(host: string): Refusal {
    return refuse(403, 'HostNotAllowed', `${host} is not allowed; add it to the allowed hosts of the proxy`);
  }
}
