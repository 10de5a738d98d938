const versionName = /^v(\d+)(?:(alpha|beta)(\d+))?$/;

/**
 * Compares versions: stable before beta before alpha, higher numbers first (apimachinery
 * version.CompareKubeAwareVersionStrings).
 */
export function byPriority(a: string, b: string): number {
  const [left, right] = [versionName.exec(a), versionName.exec(b)];
  if (left === null || right === null) {
    if (left === null && right === null) return a < b ? -1 : 1;
    return left === null ? 1 : -1;
  }
  const stages = ['alpha', 'beta', undefined];
  const stage = stages.indexOf(right[2]) - stages.indexOf(left[2]);
  return stage || Number(right[1]) - Number(left[1]) || Number(right[3] ?? 0) - Number(left[3] ?? 0);
}
