const unitNanoseconds: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
};

/**
 * Returns the nanoseconds of a Go duration string (`1h30m`, `-1.5s`, `0`), or undefined for any other text
 * (time.ParseDuration).
 */
export function parseGoDuration(text: string): bigint | undefined {
  const match = /^([+-]?)(0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/.exec(text);
  if (match === null) return undefined;
  let total = 0n;
  for (const [, amount = '0', unit = 's'] of (match[2] ?? '').matchAll(
    /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g,
  )) {
    const [whole = '0', fraction = ''] = amount.split('.');
    const scale = unitNanoseconds[unit] ?? 0;
    total += BigInt(whole === '' ? '0' : whole) * BigInt(scale);
    if (fraction !== '') total += BigInt(Math.trunc(Number(`0.${fraction}`) * scale));
  }
  const signed = match[1] === '-' ? -total : total;
  return signed > 9223372036854775807n || signed < -9223372036854775808n ? undefined : signed;
}
