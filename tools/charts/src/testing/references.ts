import type { Manifest } from './workshop.js';

type Labels = Record<string, string>;
interface Backend {
  service?: { name: string; port: object };
  name?: string;
  port?: number;
}

/** Returns the pod selectors of an object of the chart. */
export function selectorsOfPods({ kind, ...manifest }: Manifest): Labels[] {
  const spec = manifest['spec'] as {
    selector?: Labels & { matchLabels?: Labels };
    podSelector?: { matchLabels: Labels };
  };
  if (kind === 'Service') return [spec.selector ?? {}];
  if (kind === 'NetworkPolicy') return [spec.podSelector?.matchLabels ?? {}];
  if (kind === 'PodDisruptionBudget' || kind === 'Deployment') return [spec.selector?.matchLabels ?? {}];
  return [];
}

/** Returns the names of the pod ports to which an object refers. */
export function namedPorts(manifest: Manifest): string[] {
  const spec = manifest['spec'] as {
    ports?: { targetPort: string }[];
    ingress?: { ports?: { port: string | number }[] }[];
  };
  if (manifest.kind === 'Service') return (spec.ports ?? []).map(({ targetPort }) => targetPort);
  if (manifest.kind !== 'NetworkPolicy') return [];
  const ports = (spec.ingress ?? []).flatMap((rule) => rule.ports ?? []);
  return ports.flatMap(({ port }) => (typeof port === 'string' ? [port] : []));
}

/** Returns the names and the ports of the Services for traffic from outside. */
export function backends(manifest: Manifest): [string, object][] {
  if (manifest.kind !== 'Ingress' && manifest.kind !== 'HTTPRoute') return [];
  const { rules } = manifest['spec'] as {
    rules: { http?: { paths: { backend: Backend }[] }; backendRefs?: Backend[] }[];
  };
  return rules
    .flatMap((rule) => rule.backendRefs ?? rule.http?.paths.map(({ backend }) => backend) ?? [])
    .map(({ service, name, port }): [string, object] => [
      service?.name ?? name ?? '',
      service?.port ?? { port },
    ]);
}
