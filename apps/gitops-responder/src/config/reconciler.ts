import { GitOpsResponderConfig, keyOf } from '@interlock/api';
import { generationChanged, type Cache, type Manager } from '@interlock/kube';
import type { Credentials } from './credentials.js';
import { decideConfig } from './decide.js';
import { observeConfig } from './observe.js';
import { secretNameOf } from './provider.js';
import type { Repositories } from './repositories.js';
import type { ConfigStore } from './store.js';

interface ConfigReconcilerParts {
  manager: Manager;
  configs: Cache<GitOpsResponderConfig>;
  namespace: string;
  store: ConfigStore;
  credentials: Credentials;
  repositories: Repositories;
  onHostsChange?: ((handler: () => void) => void) | undefined;
}

/** Adds the reconciler that reports in each configuration whether it is used, and which repositories it reaches. */
export function addConfigReconciler(parts: ConfigReconcilerParts): void {
  const { manager, configs, namespace, store, credentials, onHostsChange } = parts;
  const handle = manager.addReconciler({
    name: 'gitops-responder-config',
    transitions: { action: 'Configure' },
    for: { kind: GitOpsResponderConfig, cache: { namespace }, predicate: generationChanged },
    concurrency: 1,
    observe: (config, { signal }) => observeConfig(parts, config, signal),
    decide: decideConfig,
    conclude: (_observed, decision) => decision,
  });
  const all = (): void => configs.list().forEach((config) => handle.enqueue(keyOf(config)));
  store.onChange(all);
  onHostsChange?.(all);
  credentials.onChange((name) => {
    if (store.routes.some(({ provider }) => secretNameOf(provider) === name)) all();
  });
}
