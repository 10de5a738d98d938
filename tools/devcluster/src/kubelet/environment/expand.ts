/**
 * Returns a text with its references `$(NAME)` replaced by values. A reference to an unknown name does not change, and
 * `$$` results in one dollar sign. Source: Kubernetes third_party/forked/golang/expansion.
 */
export function expand(text: string, valueOf: (name: string) => string | undefined): string {
  return text.replace(/\$\$|\$\(([^)]*)\)/g, (reference, name?: string) => {
    if (name === undefined) return '$';
    return valueOf(name) ?? reference;
  });
}
