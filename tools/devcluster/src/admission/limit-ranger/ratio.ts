import type { Quantity } from '@interlock/api/quantities';

const digits = 6;
const scale = 10n ** BigInt(digits);

/** Returns the ratio of two quantities with six decimals, rounded half to even. The second must not be zero. */
export function ratioText(a: Quantity, b: Quantity): string {
  const [dividend, divisor] = [a.nanos * scale, b.nanos];
  const rest = dividend % divisor;
  let quotient = dividend / divisor;
  if (rest * 2n > divisor || (rest * 2n === divisor && quotient % 2n === 1n)) quotient += 1n;
  return `${quotient / scale}.${String(quotient % scale).padStart(digits, '0')}`;
}
