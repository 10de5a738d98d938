import type { AdmissionRequest, Cluster } from '../../api/cluster.js';
import { serviceAccountGroups, serviceAccountName, type User } from '../../auth/users.js';
import { CelAuthorizer, ResourceCheck, type Access } from '../../schema/cel/library-authorizer.js';

/** Returns the value of `authorizer` for a request: it decides for the user of the request. */
export function authorizerOf({ rbac }: Cluster, request: AdmissionRequest): CelAuthorizer {
  const { user, resource, subresource = '', namespace, name } = request;
  const access = accessOf(rbac, user);
  const target = { group: resource.group, resource: resource.plural, subresource, namespace, name };
  return new CelAuthorizer(access, new ResourceCheck(access, target));
}

function accessOf(rbac: Cluster['rbac'], user: User): Access {
  return {
    decide: (question) => rbac.authorize(user, question),
    ofServiceAccount: (namespace, name) =>
      accessOf(rbac, {
        username: serviceAccountName(namespace, name),
        groups: serviceAccountGroups(namespace),
      }),
  };
}
