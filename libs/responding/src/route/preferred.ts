import type { GitOpsResponderConfig } from '@interlock/api';

/** The name of the preferred configuration. */
export const preferredConfigName = 'default';

/**
 * Returns the preferred configuration: `default`, or else the first by name.
 * @param configs the configurations of one namespace.
 */
export function preferredConfig(
  configs: readonly GitOpsResponderConfig[],
): GitOpsResponderConfig | undefined {
  const byName = [...configs].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  return byName.find(({ metadata }) => metadata.name === preferredConfigName) ?? byName[0];
}
