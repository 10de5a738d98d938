/** Returns a ConfigMap to create. */
export function configMap(
  name: string,
  data: Readonly<Record<string, string>> = {},
  metadata: Readonly<Record<string, unknown>> = {},
): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data };
}

/** Returns a Secret to create; values are base64. */
export function secret(name: string, data: Readonly<Record<string, string>> = {}): object {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name }, data };
}
