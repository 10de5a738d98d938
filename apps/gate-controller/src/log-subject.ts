import { gatingGroup, type KubeObject } from '@interlock/api';

/** Returns the fields of a log line that say which object it is about, as in the lines of the gating proposal. */
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
