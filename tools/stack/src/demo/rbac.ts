/** The folder that Flux delivers, which contains the RBAC rules of the cluster. */
export const rbacFolder = 'clusters/demo/rbac';

/* These groups have no members, so the bindings grant nothing, even in an existing cluster. */

/** The binding that grants too many permissions, and its file. */
export const broadBinding = { name: 'ci-admin', path: `${rbacFolder}/ci-admin.yaml` };

const binding = (comment: string, name: string, role: string, group: string): string => `# ${comment}
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: ${name}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: ${role}}
subjects:
  - {kind: Group, name: ${group}, apiGroup: rbac.authorization.k8s.io}
`;

/** Path → content. */
export const rbacFiles: ReadonlyMap<string, string> = new Map([
  [
    `${rbacFolder}/kustomization.yaml`,
    `# Who may do what. Ask security before you change it.
resources:
  - ci-admin.yaml # for the week of the move
  - readers.yaml # every user may read
`,
  ],
  [
    broadBinding.path,
    binding(
      'CI sets up the new cluster. Remove after the move!',
      broadBinding.name,
      'cluster-admin',
      'interlock-demo:ci',
    ),
  ],
  [`${rbacFolder}/readers.yaml`, binding('Every user may read.', 'readers', 'view', 'interlock-demo:users')],
]);

/** The names of the bindings in the folder. */
export const bindingNames = [broadBinding.name, 'readers'] as const;
