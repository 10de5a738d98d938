const binaryUnits = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const decimalUnits = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const pattern = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+|)$/;
const lenientPattern = /^[+-]?\d*(\.\d*)?[eEinumkKMGTP]*[-+]?\d*$/;
/** Longer texts are refused: the cost of parsing a very long number grows faster than its length. */
const longestText = 256;
const nanoDigits = 9;
const nano = 10n ** BigInt(nanoDigits);
const maxExponent = 64;
const maxInt64 = 2n ** 63n - 1n;
const kibi = 1024n;

/** The family of units that a quantity is written in. */
type QuantityFormat = 'BinarySI' | 'DecimalSI' | 'DecimalExponent';

/**
 * A Kubernetes resource quantity, exact to 1e-9 (finer fractions are rounded up, as the API does).
 * Source: k8s.io/apimachinery/pkg/api/resource.
 */
export class Quantity {
  constructor(
    readonly nanos: bigint,
    readonly format: QuantityFormat = 'DecimalSI',
  ) {}

  /** Returns a quantity with an integral value. */
  static of(whole: number): Quantity {
    return new Quantity(BigInt(whole) * nano);
  }

  /** Parses `1.5Gi`, `100m` or `2e3`. Returns undefined if the text is not a quantity. */
  static parse(text: string): Quantity | undefined {
    const match = text.length > longestText ? null : pattern.exec(text);
    if (match === null) return undefined;
    const [, sign, number = '', suffix = ''] = match;
    const [whole = '', fraction = ''] = number.split('.');
    const { factor, exponent, format } = unitOf(suffix);
    if (Math.abs(exponent) > maxExponent) return undefined;
    const shift = exponent - fraction.length + nanoDigits;
    const digits = BigInt(whole + fraction) * factor;
    const nanos = shift >= 0 ? digits * 10n ** BigInt(shift) : divideUp(digits, 10n ** BigInt(-shift));
    /* A fraction of a single unit is not rounded up to a whole one. */
    const isPart = format === 'BinarySI' && nanos < nano;
    return new Quantity(sign === '-' ? -nanos : nanos, isPart ? 'DecimalSI' : format);
  }

  get isZero(): boolean {
    return this.nanos === 0n;
  }

  get isInteger(): boolean {
    return this.nanos % nano === 0n && abs(this.nanos / nano) <= maxInt64;
  }

  /**
   * Returns the value as an integer.
   *
   * @throws Error when the quantity has a fraction or does not fit an int64.
   */
  asInteger(): bigint {
    if (!this.isInteger) throw new Error('cannot convert value to integer');
    return this.nanos / nano;
  }

  asApproximateFloat(): number {
    return Number(this.nanos / nano) + Number(this.nanos % nano) / Number(nano);
  }

  /** Returns the sum with an integer. */
  plus(whole: bigint): Quantity {
    return new Quantity(this.nanos + whole * nano, this.format);
  }

  /** Returns the sum, written in the units of this quantity unless it is zero. */
  add(other: Quantity): Quantity {
    return new Quantity(this.nanos + other.nanos, this.isZero ? other.format : this.format);
  }

  /** Returns the difference, written in the units of this quantity unless it is zero. */
  subtract(other: Quantity): Quantity {
    return new Quantity(this.nanos - other.nanos, this.isZero ? other.format : this.format);
  }

  compareTo(other: Quantity): bigint {
    if (this.nanos === other.nanos) return 0n;
    return this.nanos < other.nanos ? -1n : 1n;
  }

  /** Returns whether this is less than the product of two quantities. */
  isLessThanProduct(a: Quantity, b: Quantity): boolean {
    return this.nanos * nano < a.nanos * b.nanos;
  }

  /** Returns whether this is greater than the product of two quantities. */
  isGreaterThanProduct(a: Quantity, b: Quantity): boolean {
    return this.nanos * nano > a.nanos * b.nanos;
  }

  /** Returns the canonical form: without a fraction, in the largest unit that preserves the value. */
  toString(): string {
    if (this.isZero) return '0';
    const isBinary = this.format === 'BinarySI' && this.nanos % nano === 0n && abs(this.nanos) >= kibi * nano;
    return isBinary ? binaryText(this.nanos / nano) : decimalText(this.nanos, this.format);
  }
}

/** Returns the quantity of a JSON string or number, or undefined if it is not a quantity. */
export function quantityOf(value: unknown): Quantity | undefined {
  return typeof value === 'string' || typeof value === 'number' ? Quantity.parse(String(value)) : undefined;
}

/** Returns the number closest to the quantity of a JSON value, or NaN if it is not a quantity. */
export function quantityNumber(value: unknown): number {
  return quantityOf(value)?.asApproximateFloat() ?? NaN;
}

/** Returns the error that Go's decoder reports for a text that is not a quantity. */
export function quantityProblem(text: string): string {
  return text !== '' && text.length <= longestText && lenientPattern.test(text)
    ? "unable to parse quantity's suffix"
    : "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
}

function unitOf(suffix: string): { factor: bigint; exponent: number; format: QuantityFormat } {
  if (suffix.endsWith('i')) {
    return { factor: kibi ** BigInt(binaryUnits.indexOf(suffix)), exponent: 0, format: 'BinarySI' };
  }
  const decimal = decimalUnits.indexOf(suffix);
  if (decimal >= 0) return { factor: 1n, exponent: decimal * 3 - nanoDigits, format: 'DecimalSI' };
  return { factor: 1n, exponent: Number(suffix.slice(1)), format: 'DecimalExponent' };
}

function binaryText(whole: bigint): string {
  let [mantissa, unit] = [whole, 0];
  while (mantissa % kibi === 0n && unit < binaryUnits.length - 1) {
    mantissa /= kibi;
    unit += 1;
  }
  return `${mantissa}${binaryUnits[unit] ?? ''}`;
}

function decimalText(nanos: bigint, format: QuantityFormat): string {
  const hasExponent = format === 'DecimalExponent';
  let [mantissa, unit] = [nanos, 0];
  while (mantissa % 1000n === 0n && (hasExponent || unit < decimalUnits.length - 1)) {
    mantissa /= 1000n;
    unit += 1;
  }
  const exponent = unit * 3 - nanoDigits;
  if (hasExponent) return exponent === 0 ? String(mantissa) : `${mantissa}e${exponent}`;
  return `${mantissa}${decimalUnits[unit] ?? ''}`;
}

function abs(value: bigint): bigint {
  return value < 0n ? -value : value;
}

function divideUp(value: bigint, divisor: bigint): bigint {
  return value % divisor === 0n ? value / divisor : value / divisor + 1n;
}
