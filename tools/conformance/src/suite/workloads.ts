export const deployments = (namespace: string): string => `/apis/apps/v1/namespaces/${namespace}/deployments`;

/** Returns a container, which no case starts. */
export function container(name: string, fields: Readonly<Record<string, unknown>> = {}): object {
  return { name, image: 'example.com/pause:1.0', ...fields };
}

/** Returns a Deployment to create. It is paused, so no controller creates a ReplicaSet or pods for it. */
export function deployment(
  name: string,
  { containers = [container('app')], ...spec }: Readonly<Record<string, unknown>> = {},
): object {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas: 0,
      paused: true,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
      ...spec,
    },
  };
}

/** Returns the containers of a Deployment's pod template. */
export function containersOf(deployment: { spec?: Record<string, unknown> }): Record<string, unknown>[] {
  const template = deployment.spec?.['template'] as { spec: { containers: Record<string, unknown>[] } };
  return template.spec.containers;
}
