const parts = /^(-?)(?:(\d{1,8})\.)?(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{1,9}))?$/;

/** Returns the milliseconds of a .NET `TimeSpan` text, `[-][d.]hh:mm:ss[.fffffff]`; undefined for any other text. */
export function parseTimeSpan(text: string): number | undefined {
  const match = parts.exec(text.trim());
  if (match === null) return undefined;
  const [, sign, days = '0', hours = '0', minutes = '0', seconds = '0', fraction = ''] = match;
  const whole = ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds);
  const ms = whole * 1000 + Math.floor(Number(`0.${fraction === '' ? '0' : fraction}`) * 1000);
  return sign === '-' ? -ms : ms;
}
