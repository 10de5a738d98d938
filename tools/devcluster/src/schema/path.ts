/** Returns the path of a named field below `path` (`spec` + `size` → `spec.size`). */
export function child(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** Returns the path of a list item below `path` (`spec.items` + 0 → `spec.items[0]`). */
export function at(path: string, index: number): string {
  return `${path}[${index}]`;
}

/** Returns the path of a map entry below `path` (`spec.labels` + `a` → `spec.labels[a]`). */
export function key(path: string, name: string): string {
  return `${path}[${name}]`;
}
