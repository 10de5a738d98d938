import { isTyped, type AnyScmProvider, type TypedError } from '@interlock/api';
import type { AccountHealth, AccountRef, RepositoryResolver } from '@interlock/scm';
import type { ObservedProvider } from './decide.js';

/** Checks a provider. @throws TypedError `Transient`, `RateLimited` or `Conflict` of the API server. */
export async function observeProvider(
  resolver: Pick<RepositoryResolver, 'check'>,
  health: Pick<AccountHealth, 'problemOf'>,
  provider: AnyScmProvider,
): Promise<ObservedProvider> {
  const { kind, metadata } = provider;
  const account: AccountRef = { kind, namespace: metadata.namespace ?? '', name: metadata.name };
  return {
    provider,
    problem: await problemOf(resolver, provider),
    accountProblem: health.problemOf(account),
  };
}

async function problemOf(
  resolver: Pick<RepositoryResolver, 'check'>,
  provider: AnyScmProvider,
): Promise<TypedError | undefined> {
  try {
    await resolver.check(provider);
    return undefined;
  } catch (error) {
    /* A transient failure of the API server says nothing about the provider. */
    if (!isTyped(error) || isTyped(error, 'Transient', 'RateLimited', 'Conflict')) throw error;
    return error;
  }
}
