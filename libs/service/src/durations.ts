import { TypedError } from '@interlock/api/errors';
import { truncate } from '@interlock/base';

const nanosecondsPer: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  '\u00b5s': 1_000n, // The micro sign and the Greek letter mu.
  '\u03bcs': 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const component = /(\d*)(?:\.(\d*))?([^\d.]+)/y;
const maxNanoseconds = 2n ** 63n;
const maxLength = 100;

/**
 * Parses a duration like Go's `time.ParseDuration`: `90s`, `1h30m`, `1.5h`, `-2m`, `0`. Returns milliseconds, with a
 * fraction if the text is more precise.
 *
 * @throws TypedError `Invalid` (`DurationInvalid`) naming the text and the problem
 */
export function parseDuration(text: string): number {
  const sign = /^[+-]?/.exec(text)?.[0] ?? '';
  const rest = text.slice(sign.length);
  if (rest === '0') return 0;
  if (rest === '' || text.length > maxLength) throw invalid(text, 'is not a duration');
  let total = 0n;
  for (component.lastIndex = 0; component.lastIndex < rest.length;) {
    const match = component.exec(rest);
    if (!match) throw invalid(text, /^[\d.]+$/.test(rest) ? 'has no unit' : 'is not a duration');
    total += nanoseconds(text, match);
  }
  const negative = sign === '-';
  if (total > maxNanoseconds || (total === maxNanoseconds && !negative))
    throw invalid(text, 'is longer than 290 years');
  const milliseconds = Number(total / 1_000_000n) + Number(total % 1_000_000n) / 1e6;
  return negative ? -milliseconds : milliseconds;
}

function nanoseconds(text: string, [, whole = '', fraction = '', unit = '']: RegExpExecArray): bigint {
  if (whole === '' && fraction === '') throw invalid(text, 'is not a duration');
  const perUnit = Object.hasOwn(nanosecondsPer, unit) ? nanosecondsPer[unit] : undefined;
  if (perUnit === undefined) throw invalid(text, `has the unknown unit ${JSON.stringify(unit)}`);
  const scale = 10n ** BigInt(fraction.length);
  return BigInt(whole || '0') * perUnit + (BigInt(fraction || '0') * perUnit) / scale;
}

/**
 * Formats a duration like Go's `Duration.String`: `1h30m0s`, `1.5s`, `300ms`, `0s`.
 *
 * @param milliseconds rounded to integral nanoseconds
 * @throws TypedError `Invalid` (`DurationInvalid`) when it is not finite
 */
export function formatDuration(milliseconds: number): string {
  if (!Number.isFinite(milliseconds)) throw invalid(String(milliseconds), 'is not a duration');
  const absolute = Math.abs(milliseconds);
  const whole = Math.floor(absolute);
  const total = BigInt(whole) * 1_000_000n + BigInt(Math.round((absolute - whole) * 1e6));
  if (total === 0n) return '0s';
  const sign = milliseconds < 0 ? '-' : '';
  if (total < 1_000n) return `${sign}${total}ns`;
  if (total < 1_000_000n) return `${sign}${decimal(total, 3)}\u00b5s`;
  if (total < 1_000_000_000n) return `${sign}${decimal(total, 6)}ms`;
  const minutes = total / 60_000_000_000n;
  const seconds = `${decimal(total % 60_000_000_000n, 9)}s`;
  if (minutes === 0n) return `${sign}${seconds}`;
  const hours = minutes / 60n;
  return `${sign}${hours === 0n ? '' : `${hours}h`}${minutes % 60n}m${seconds}`;
}

function decimal(value: bigint, places: number): string {
  const digits = value.toString().padStart(places + 1, '0');
  const fraction = digits.slice(-places).replace(/0+$/, '');
  return `${digits.slice(0, -places)}${fraction === '' ? '' : `.${fraction}`}`;
}

function invalid(text: string, problem: string): TypedError {
  const shown = JSON.stringify(truncate(text, maxLength));
  return new TypedError('Invalid', `${shown} ${problem}; write for example 90s, 1h30m or 500ms`, {
    reason: 'DurationInvalid',
  });
}
