export const autoscalers = (namespace: string, version = 'v2'): string =>
  `/apis/autoscaling/${version}/namespaces/${namespace}/horizontalpodautoscalers`;

/** Returns a HorizontalPodAutoscaler to create for a Deployment. */
export function autoscaler(
  name: string,
  target: string,
  spec: Readonly<Record<string, unknown>> = {},
): object {
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: target },
      maxReplicas: 5,
      ...spec,
    },
  };
}

/** Returns the metric for the usage of a resource. */
export function resourceMetric(name: string, target: Readonly<Record<string, unknown>>): object {
  return { type: 'Resource', resource: { name, target } };
}
