import { isIP } from 'node:net';
import { isRefused, refuse, type Refusal } from '../refusal.js';
import { AddressRanges, isPublic } from './addresses.js';
import { HostPatterns } from './host-patterns.js';

export interface PolicyOptions {
  /** Patterns such as `name` or `*.suffix`. Without hosts and ranges, every public host is allowed. */
  hosts: readonly string[];
  /** Address ranges that are allowed under any host name; they may be private. */
  cidrs: readonly string[];
  /** Allowed ports. */
  ports: readonly number[];
  /** Addresses of this machine, which are refused unless a range allows them. */
  ownAddresses?: readonly string[] | undefined;
}

/**
 * Decides which targets a client may reach: first by the requested host and port, then by each address of the name. An address that is
 * not public is refused unless an allowed range contains it, so that no name can resolve into the cluster.
 */
export class Policy {
  readonly #hosts: HostPatterns;
  readonly #ranges: AddressRanges;
  readonly #own: AddressRanges;
  readonly #ports: ReadonlySet<number>;
  readonly #hasRanges: boolean;
  readonly #allowsAnyHost: boolean;

  /** @throws an Error that names the invalid host pattern or range */
  constructor({ hosts, cidrs, ports, ownAddresses = [] }: PolicyOptions) {
    this.#hosts = new HostPatterns(hosts);
    this.#ranges = new AddressRanges(cidrs);
    this.#own = new AddressRanges(ownAddresses);
    this.#ports = new Set(ports);
    this.#hasRanges = cidrs.length > 0;
    this.#allowsAnyHost = this.#hosts.size === 0 && !this.#hasRanges;
  }

  /** Returns why a target is refused before its name is resolved; undefined when its addresses must be checked. */
  checkTarget(host: string, port: number): Refusal | undefined {
    if (!this.#ports.has(port)) {
      const ports = [...this.#ports].join(', ');
      return refuse(
        403,
        'PortNotAllowed',
        `port ${port} is not allowed; use ${ports}, or add it to the allowed ports of the proxy`,
      );
    }
    if (isIP(host) !== 0) {
      const permitted = this.permit(host, [host]);
      return isRefused(permitted) ? permitted : undefined;
    }
    /* With ranges, any name must be resolved. Without ranges, other names are not looked up, so that clients cannot exfiltrate data by DNS. */
    return this.#isNamed(host) || this.#hasRanges ? undefined : this.#refusal(host);
  }

  /** Returns the permitted addresses of a host, in their order, or a refusal if there are none. */
  permit(host: string, addresses: readonly string[]): readonly string[] | Refusal {
    const permitted = addresses.filter((address) => this.#isPermitted(host, address));
    if (permitted.length > 0) return permitted;
    if (!this.#isNamed(host)) return this.#refusal(host);
    return refuse(
      403,
      'AddressNotAllowed',
      `${host} has no public address; if it should be reachable, allow the range of its address`,
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
