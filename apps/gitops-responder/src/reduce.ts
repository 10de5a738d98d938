import type { Gate } from '@interlock/api';

/**
 * Returns what the cache keeps of a gate, which is its state. Each team can create any number of gates, with large annotations
 * and contributions. Pure.
 */
export function reduceGate({ apiVersion, kind, metadata, spec, status }: Gate): Gate {
  const { name, namespace = '', uid = '', resourceVersion = '' } = metadata;
  const { closed, maxOverride, failurePolicy } = spec;
  const { state, message, validUntil } = status ?? {};
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, uid, resourceVersion },
    spec: { closed, maxOverride, failurePolicy },
    status: { state, message, validUntil },
  };
}
