/**
 * Returns a duration in seconds in kubectl's short form: `45s`, `3m12s`, `5h`, `3d4h`, `2y`. Source: apimachinery
 * util/duration.
 */
export function humanDuration(seconds: number): string {
  const whole = Math.floor(seconds);
  if (whole < -1) return '<invalid>';
  if (whole < 0) return '0s';
  if (whole < 120) return `${String(whole)}s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 10) return withRest(minutes, 'm', whole % 60, 's');
  if (minutes < 180) return `${String(minutes)}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return withRest(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${String(hours)}h`;
  const days = Math.floor(hours / 24);
  if (hours < 192) return withRest(days, 'd', hours % 24, 'h');
  if (days < 730) return `${String(days)}d`;
  const years = Math.floor(days / 365);
  return days < 2920 ? withRest(years, 'y', days % 365, 'd') : `${String(years)}y`;
}

function withRest(value: number, unit: string, rest: number, restUnit: string): string {
  return rest === 0 ? `${String(value)}${unit}` : `${String(value)}${unit}${String(rest)}${restUnit}`;
}

/** Returns the time since a timestamp, or `<unknown>` if there is none. */
export function age(timestamp: unknown, now: Date): string {
  const since = typeof timestamp === 'string' ? Date.parse(timestamp) : NaN;
  return Number.isNaN(since) ? '<unknown>' : humanDuration((now.getTime() - since) / 1000);
}
