/** Returns `ms` since the epoch as Kubernetes' MicroTime: RFC 3339, UTC, six decimals. */
export function microTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}
