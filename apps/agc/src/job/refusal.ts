/** Returns whether the reason of a refusal is that of the admission plugin ResourceQuota. */
export function isQuotaRefusal(reason: string): boolean {
  return reason.includes('exceeded quota');
}
