/** What the platform team allows tenants. */
export interface TenantPolicy {
  /** PriorityClasses that worker pods may have; empty: none. */
  allowedPriorityClasses: readonly string[];
  /** Namespaces that must not be tenants: the namespaces of the cluster, and the namespace of this controller. */
  reservedNamespaces: readonly string[];
  /** Namespaces whose Secrets a gateway of another namespace may reference. */
  credentialNamespaces: readonly string[];
}

/** Allows the profile `privileged` in a namespace; set by the platform team. */
export const privilegedProfileLabel = {
  key: 'actions-gateway.github.com/privileged-profile',
  value: 'allowed',
} as const;

/** The annotation that allows an update to weaken `spec.securityProfile` of a gateway. */
export const downgradeAnnotation = 'actions-gateway.github.com/allow-profile-downgrade';
