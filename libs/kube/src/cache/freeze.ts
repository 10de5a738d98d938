/**
 * Freezes a decoded JSON value and everything in it, and returns it. An API server accepts 10,000 levels, for which a
 * recursive function would need a larger stack than Node.js has.
 */
export function deepFreeze<T>(value: T): T {
  const left: unknown[] = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next !== 'object' || next === null || Object.isFrozen(next)) continue;
    Object.freeze(next);
    for (const member of Object.values(next)) if (typeof member === 'object') left.push(member);
  }
  return value;
}
