import { gatingGroup, type KubeObject } from '@interlock/api';

/** Returns the fields of a log line that identify its object, as in the log lines of the gating proposal. */
export function logSubject({
  kind,
  metadata: { name, namespace = '' },
}: KubeObject): Record<string, unknown> {
  return {
    controller: 'gatecontroller',
    controllerGroup: gatingGroup,
    controllerKind: kind,
    [kind]: { namespace, name },
    namespace,
    name,
  };
}
