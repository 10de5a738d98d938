import { isIP } from 'node:net';

const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const longestName = 253;

/**
 * Returns a host name in its normal form: lower case, without the dot of the root. Returns undefined for a text that
 * is not a host name.
 */
export function normalizeName(name: string): string | undefined {
  const normalized = (name.endsWith('.') ? name.slice(0, -1) : name).toLowerCase();
  if (normalized.length > longestName || normalized === '') return undefined;
  return normalized.split('.').every((part) => part.length <= 63 && label.test(part))
    ? normalized
    : undefined;
}

/**
 * Host names by pattern: `name` matches that name, `*.suffix` matches every name below the suffix, and `.suffix` matches
 * both.
 */
export class HostPatterns {
  readonly #names = new Set<string>();
  readonly #suffixes = new Set<string>();

  /** @throws an Error that names the first invalid pattern */
  constructor(patterns: readonly string[]) {
    for (const pattern of patterns) this.#add(pattern);
  }

  get size(): number {
    return this.#names.size + this.#suffixes.size;
  }

  /** Returns whether a normalized name, or an address as the client wrote it, matches. The time depends only on the number of its labels. */
  matches(name: string): boolean {
    if (this.#names.has(name)) return true;
    if (this.#suffixes.size === 0) return false;
    for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
      if (this.#suffixes.has(name.slice(dot + 1))) return true;
    }
    return false;
  }

  #add(pattern: string): void {
    const isBelow = pattern.startsWith('*.');
    const isBoth = pattern.startsWith('.');
    const written = isBelow ? pattern.slice(2) : isBoth ? pattern.slice(1) : pattern;
    const name = isIP(written) === 6 ? written.toLowerCase() : normalizeName(written);
    if (name === undefined) {
      throw new Error(`${JSON.stringify(pattern)} is not a host name; write a name, or *.suffix`);
    }
    if (isBelow || isBoth) this.#suffixes.add(name);
    if (!isBelow) this.#names.add(name);
  }
}
