import {
  ClusterScmProvider,
  isTyped,
  ScmProvider,
  type Kind,
  type ObjectKey,
  type TypedError,
} from '@interlock/api';
import {
  generationChanged,
  type Cache,
  type ControllerHandle,
  type ReconcileContext,
  type ReconcileResult,
} from '@interlock/kube';
import type { AccountHealth, AccountRef, RepositoryResolver } from '@interlock/scm';
import type { Shared } from '../shared.js';
import { decideProvider } from './decide.js';

export interface ScmProviderControllerOptions {
  resolver: RepositoryResolver;
  health: AccountHealth;
  /** Milliseconds between two looks at a Secret, which is not watched. */
  pollIntervalMs: number;
}

type Provider = ScmProvider | ClusterScmProvider;

/** Adds the controllers of ScmProviders and ClusterScmProviders, which report whether an account can be used. */
export function addScmProviderControllers(shared: Shared, options: ScmProviderControllerOptions): void {
  const { manager, caches } = shared;

  function add<T extends Provider>(name: string, kind: Kind<T>, cache: Cache<T>): ControllerHandle {
    return manager.addController({
      name,
      for: { kind, predicate: generationChanged },
      reconcile: (key, context) => reconcile(shared, options, kind, cache, key, context),
    });
  }

  const handles = new Map([
    [ScmProvider.kind, add('scm-provider', ScmProvider, caches.scmProviders)],
    [ClusterScmProvider.kind, add('cluster-scm-provider', ClusterScmProvider, caches.clusterScmProviders)],
  ]);
  options.health.changed = ({ kind, namespace, name }) => {
    handles.get(kind)?.enqueue({ name, ...(namespace !== '' && { namespace }) });
  };
}

async function reconcile<T extends Provider>(
  { statuses }: Shared,
  { resolver, health, pollIntervalMs }: ScmProviderControllerOptions,
  kind: Kind<T>,
  cache: Cache<T>,
  key: ObjectKey,
  { now }: ReconcileContext,
): Promise<ReconcileResult | undefined> {
  const account: AccountRef = { kind: kind.kind, namespace: key.namespace ?? '', name: key.name };
  const provider = cache.get(key);
  if (provider === undefined) {
    health.forget(account);
    return undefined;
  }
  const problem = await problemOf(resolver, provider);
  const trouble = health.troubleOf(account);
  const { conditions, dueInMs } = decideProvider({ provider, problem, trouble }, now);
  const status: NonNullable<Provider['status']> = {
    observedGeneration: provider.metadata.generation,
    conditions,
  };
  await statuses.write(kind, provider, status);
  return { requeueAfterMs: Math.min(dueInMs ?? pollIntervalMs, pollIntervalMs) };
}

async function problemOf(resolver: RepositoryResolver, provider: Provider): Promise<TypedError | undefined> {
  try {
    await resolver.check(provider);
    return undefined;
  } catch (error) {
    /* What passes says nothing about the provider: the API server could not be asked. */
    if (!isTyped(error) || isTyped(error, 'Transient', 'RateLimited', 'Conflict')) throw error;
    return error;
  }
}
