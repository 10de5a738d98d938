/** @returns a text that is equal for two values exactly when they mean the same as JSON, in whatever order of keys. */
export function canonical(value: unknown): string {
  return JSON.stringify(value ?? null, (_key, member: unknown) =>
    typeof member !== 'object' || member === null || Array.isArray(member)
      ? member
      : Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1))),
  );
}

/** @returns whether two values mean the same as JSON: the order of keys and absent members do not count. */
export function semanticEqual(a: unknown, b: unknown): boolean {
  return canonical(a) === canonical(b);
}
