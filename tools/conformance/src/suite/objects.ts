/** Returns a ConfigMap to create. */
export function configMap(
  name: string,
  data: Readonly<Record<string, string>> = {},
  metadata: Readonly<Record<string, unknown>> = {},
): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data };
}
