const longest = 3;

/** Returns the first items of a list as kubectl prints them, and the number of the items that it omits. */
export function shortList(items: readonly string[]): string {
  const shown = items.slice(0, longest).join(',');
  return items.length > longest ? `${shown} + ${String(items.length - longest)} more...` : shown;
}
