import type { GitOpsResponderConfig } from '@interlock/api';

const defaultConfigName = 'default';

/**
 * @param configs of one namespace.
 * @returns the configuration that is used: `default`, or the first by name when none is called so.
 */
export function chooseConfig(configs: readonly GitOpsResponderConfig[]): GitOpsResponderConfig | undefined {
  const byName = [...configs].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  return byName.find(({ metadata }) => metadata.name === defaultConfigName) ?? byName[0];
}
