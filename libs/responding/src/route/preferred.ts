import type { GitOpsResponderConfig } from '@interlock/api';

/** The configuration that counts where there are several. */
export const preferredConfigName = 'default';

/**
 * Returns the configuration that counts: `default`, or the first by name when none is called so.
 * @param configs of one namespace.
 */
export function preferredConfig(
  configs: readonly GitOpsResponderConfig[],
): GitOpsResponderConfig | undefined {
  const byName = [...configs].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  return byName.find(({ metadata }) => metadata.name === preferredConfigName) ?? byName[0];
}
