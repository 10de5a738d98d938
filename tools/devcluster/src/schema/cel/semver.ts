const version =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:[0-9A-Za-z-]+)(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;

/** A semantic version (https://semver.org). */
export class Semver {
  constructor(
    readonly major: bigint,
    readonly minor: bigint,
    readonly patch: bigint,
    readonly prerelease: readonly string[],
  ) {}

  /**
   * Parses `1.2.3-rc.1+build`; undefined when the text is not a version.
   *
   * @param isTolerant whether `v1.2` and `01.2.3` are versions too.
   */
  static parse(text: string, isTolerant = false): Semver | undefined {
    const match = version.exec(isTolerant ? normalize(text) : text);
    if (match === null) return undefined;
    const [, major = '', minor = '', patch = '', prerelease] = match;
    const parts = prerelease?.split('.') ?? [];
    if (parts.some((part) => /^0\d+$/.test(part))) return undefined;
    return new Semver(BigInt(major), BigInt(minor), BigInt(patch), parts);
  }

  /** Returns -1, 0 or 1; a version with a prerelease comes before the same version without one. */
  compareTo(other: Semver): bigint {
    const numbers = compareAll([this.major, this.minor, this.patch], [other.major, other.minor, other.patch]);
    if (numbers !== 0n) return numbers;
    const [own, others] = [this.prerelease, other.prerelease];
    if (own.length === 0 || others.length === 0)
      return BigInt(Number(own.length === 0) - Number(others.length === 0));
    const common = Math.min(own.length, others.length);
    for (let i = 0; i < common; i++) {
      const order = comparePart(own[i] ?? '', others[i] ?? '');
      if (order !== 0n) return order;
    }
    return compareAll([BigInt(own.length)], [BigInt(others.length)]);
  }
}

/** Removes a leading `v` and leading zeros, and adds a missing minor or patch version. */
function normalize(text: string): string {
  const [major = '', minor = '0', ...rest] = text.replace(/^v/, '').split('.');
  const parts = [major, minor, rest.length === 0 ? '0' : rest.join('.')];
  return parts.map((part) => part.replace(/^0+(?=\d)/, '')).join('.');
}

function compareAll(a: readonly bigint[], b: readonly bigint[]): bigint {
  const index = a.findIndex((value, i) => value !== b[i]);
  if (index < 0) return 0n;
  return (a[index] ?? 0n) < (b[index] ?? 0n) ? -1n : 1n;
}

/** Compares two parts of a prerelease: numbers come before words and are compared as numbers. */
function comparePart(a: string, b: string): bigint {
  const [isNumber, isOtherNumber] = [a, b].map((part) => /^\d+$/.test(part));
  if (isNumber === true && isOtherNumber === true) return compareAll([BigInt(a)], [BigInt(b)]);
  if (isNumber !== isOtherNumber) return isNumber === true ? -1n : 1n;
  if (a === b) return 0n;
  return a < b ? -1n : 1n;
}
