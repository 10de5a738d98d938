const BINARY: Readonly<Record<string, bigint>> = {
  Ki: 1n << 10n,
  Mi: 1n << 20n,
  Gi: 1n << 30n,
  Ti: 1n << 40n,
  Pi: 1n << 50n,
  Ei: 1n << 60n,
};
const DECIMAL_EXPONENT: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const QUANTITY = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+|)$/;
const NANO_DIGITS = 9;
const NANO = 10n ** BigInt(NANO_DIGITS);
const MAX_EXPONENT = 64;
const MAX_INT64 = 2n ** 63n - 1n;

/** A Kubernetes resource quantity, exact to 1e-9 (finer fractions are rounded up, as the API does). */
export class Quantity {
  constructor(readonly nanos: bigint) {}

  /** Parses `1.5Gi`, `100m`, `2e3`; undefined when the text is not a quantity. */
  static parse(text: string): Quantity | undefined {
    const match = QUANTITY.exec(text);
    if (match === null) return undefined;
    const [, sign, number = '', suffix = ''] = match;
    const [whole = '', fraction = ''] = number.split('.');
    const binary = BINARY[suffix];
    const exponent = binary !== undefined ? 0 : (DECIMAL_EXPONENT[suffix] ?? Number(suffix.slice(1)));
    if (Math.abs(exponent) > MAX_EXPONENT) return undefined;
    const shift = exponent - fraction.length + NANO_DIGITS;
    const digits = BigInt(whole + fraction) * (binary ?? 1n);
    const nanos = shift >= 0 ? digits * 10n ** BigInt(shift) : divideUp(digits, 10n ** BigInt(-shift));
    return new Quantity(sign === '-' ? -nanos : nanos);
  }

  get isInteger(): boolean {
    return this.nanos % NANO === 0n && abs(this.nanos / NANO) <= MAX_INT64;
  }

  /** @throws Error when the quantity has a fraction or does not fit an int64. */
  asInteger(): bigint {
    if (!this.isInteger) throw new Error('cannot convert value to integer');
    return this.nanos / NANO;
  }

  asApproximateFloat(): number {
    return Number(this.nanos / NANO) + Number(this.nanos % NANO) / Number(NANO);
  }

  /** Returns the sum with a whole number. */
  plus(whole: bigint): Quantity {
    return new Quantity(this.nanos + whole * NANO);
  }

  compareTo(other: Quantity): bigint {
    if (this.nanos === other.nanos) return 0n;
    return this.nanos < other.nanos ? -1n : 1n;
  }
}

function abs(value: bigint): bigint {
  return value < 0n ? -value : value;
}

function divideUp(value: bigint, divisor: bigint): bigint {
  return value % divisor === 0n ? value / divisor : value / divisor + 1n;
}
