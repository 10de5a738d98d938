import { checkEscalation, rbacObject, type RbacAuthorizer } from '../auth/index.js';
import { fromStatus } from '../api/api-error.js';
import type { AdmissionPlugin } from '../api/cluster.js';

/** Refuses roles and bindings that grant more permissions than their author has. */
export function escalationCheck(rbac: RbacAuthorizer): AdmissionPlugin {
  return {
    validate: ({ object, old, user }) => {
      const written = object && rbacObject(object);
      if (written === undefined) return;
      const status = checkEscalation(rbac, user, written, old && rbacObject(old));
      if (status !== undefined) throw fromStatus(status);
    },
  };
}
