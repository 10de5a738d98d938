/**
 * Returns a text with its references `$(NAME)` replaced by values; a reference to an unknown name stays, and `$$` stands
 * for one dollar sign. Source: Kubernetes third_party/forked/golang/expansion.
 */
export function expand(text: string, valueOf: (name: string) => string | undefined): string {
  return text.replace(/\$\$|\$\(([^)]*)\)/g, (reference, name?: string) => {
    if (name === undefined) return '$';
    return valueOf(name) ?? reference;
  });
}
