import {
  conditions as conditionTypes,
  timestampOf,
  type GitOpsResponderConfig,
  type GitOpsResponderConfigStatus,
} from '@interlock/api';
import { truncate } from '@interlock/base';
import { markReady, markStalled, removeCondition, setCondition } from '@interlock/kube';
import { preferredConfigName, problemsError } from '@interlock/responding';
import type { Choice } from './choose.js';

export type ProviderStatus = NonNullable<GitOpsResponderConfigStatus['providers']>[number];

export interface ObservedConfig {
  config: GitOpsResponderConfig;
  /** The chosen configuration. */
  choice: Choice;
  /** The repositories of the configuration in use, if it is this one. */
  providers: readonly ProviderStatus[];
}

export interface ConfigDecision {
  status: GitOpsResponderConfigStatus;
  requeueAfterMs?: number | undefined;
}

/** How often the controller checks whether the repositories are reachable. */
const probeMs = 5 * 60_000;
const maxMessage = 1024;
/** Maximum number of providers in the status. The format with rules may have one more: the default. */
const maxProviders = 100;

/**
 * Returns the status of a configuration, and when its repositories are checked again. Pure; `now` in milliseconds since the
 * epoch.
 */
export function decideConfig({ config, choice, providers }: ObservedConfig, now: number): ConfigDecision {
  const isChosen = choice.chosen === config.metadata.name;
  return {
    status: configStatus(config, choice, providers, now),
    requeueAfterMs: isChosen ? probeMs : undefined,
  };
}

function configStatus(
  config: GitOpsResponderConfig,
  { chosen, problems, inUse }: Choice,
  providers: readonly ProviderStatus[],
  now: number,
): GitOpsResponderConfigStatus {
  const { name, generation = 0 } = config.metadata;
  const before = config.status;
  const observed = { observedGeneration: generation };
  if (chosen !== name) {
    const message = `${chosen ?? 'no configuration'} is in use; if there are several configurations, the configuration named ${preferredConfigName} is used, or else the first by name`;
    const reason = { reason: 'NotUsed', message };
    const known = removeCondition(before?.conditions, conditionTypes.providersReachable);
    return { ...observed, conditions: markStalled(known, reason, generation, now) };
  }
  const isBad = problems.length > 0;
  const used = inUse && {
    generation: inUse.generation,
    since: before?.inUse?.generation === inUse.generation ? before.inUse.since : timestampOf(now),
    routes: inUse.routing.routes.length,
    ...(isBad && { spec: inUse.spec }),
  };
  const still =
    inUse === undefined
      ? 'no earlier generation was valid, so nothing is routed'
      : `generation ${inUse.generation} stays in use`;
  const marked = isBad
    ? markStalled(
        before?.conditions,
        {
          reason: 'Invalid',
          message: truncate(`${problemsError('Invalid', problems).message}; ${still}`, maxMessage),
        },
        generation,
        now,
      )
    : markReady(
        before?.conditions,
        { reason: 'InUse', message: `routes in use: ${used?.routes ?? 0}` },
        generation,
        now,
      );
  return {
    ...observed,
    conditions: setCondition(marked, reachable(providers), generation, now),
    ...(used && { inUse: used }),
    providers: providers.slice(0, maxProviders),
  };
}

function reachable(providers: readonly ProviderStatus[]) {
  const type = conditionTypes.providersReachable;
  const away = providers.filter((provider) => !provider.reachable);
  if (away.length === 0) {
    const message = `${providers.length} repositories are reachable`;
    return { type, status: 'True' as const, reason: 'Reachable', message };
  }
  const message = truncate(
    away.map(({ repository, message: why }) => `${repository}: ${why ?? ''}`).join('; '),
    maxMessage,
  );
  return { type, status: 'False' as const, reason: 'Unreachable', message };
}
