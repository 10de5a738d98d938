import type { FakeClock } from '@interlock/base/testing';
import type { FaultEffect, FaultMatch, Forge } from '@interlock/forge';
import type { MergeMethod } from '../scm.js';
import { createScmRegistry, type ScmRegistry, type ScmRegistryOptions } from '../registry.js';
import type { ContractHarness, ContractWorld, Fault, Lack, Target } from './contract-world.js';
import type { ForgeTenant } from './forge-fixture.js';
import { gitReads } from './git-hands.js';
import { userActions, type UserActions } from './user-actions.js';

/** Returns a harness whose SCM is the local forge, with one of its APIs. */
export function forgeHarness<F extends { close(): Promise<void> }>(
  name: string,
  start: () => Promise<F>,
  open: (forge: F) => Promise<ContractWorld>,
  lacks: readonly Lack[] = [],
): ContractHarness {
  let forge: F | undefined;
  const started = (): F => {
    if (forge === undefined) throw new Error('the harness is not started');
    return forge;
  };
  return {
    name,
    lacks,
    async start() {
      forge = await start();
    },
    open: () => open(started()),
    stop: () => started().close(),
  };
}

/** What a user does at the forge, through its API and with git. */
export interface Hands extends UserActions {
  forbid(method: MergeMethod): Promise<void>;
  reviewers(id: number): Promise<string[]>;
}

interface ForgeWorldOptions {
  forge: Forge;
  clock: FakeClock;
  tenant: ForgeTenant<{ readonly login: string }, Parameters<ScmRegistry['connect']>[0]['spec']>;
  plugins: Pick<ScmRegistryOptions, 'plugins' | 'external'>;
  hands: Hands;
  /** Path of the API of the repository. */
  home: string;
  /** Paths below it. */
  targets: Record<Target, FaultMatch & { path: string }>;
  /** How the SCM refuses. */
  faults: Record<Exclude<Fault, keyof typeof commonFaults>, FaultEffect>;
  loseStatuses: ContractWorld['loseStatuses'];
}

const commonFaults = {
  rateLimited: { rateLimit: 'primary' },
  secondaryLimit: { rateLimit: 'secondary' },
  cut: { cutAfterEffect: true },
} as const satisfies Partial<Record<Fault, FaultEffect>>;

/** Returns the world of a test at the local forge, with its `main` committed. */
export async function forgeWorld(
  options: ForgeWorldOptions,
): Promise<ContractWorld & { registry: ScmRegistry }> {
  const { forge, clock, tenant, hands, home, targets, loseStatuses } = options;
  const { provider, secret, gitRepository, login, person } = tenant;
  const { owner, name } = tenant.repository;
  const faults: Record<Fault, FaultEffect> = { ...options.faults, ...commonFaults };
  const registry = createScmRegistry({ ...options.plugins, clock, random: () => 0.5 });
  await hands.commit('main');
  const since = forge.journal.seq;
  return {
    registry,
    clock,
    scm: registry.connect(provider, secret),
    repository: registry.repository(provider, secret, gitRepository),
    person: person.login,
    secrets: Object.values(secret).flatMap((value) => value.match(/\w{20,}/g) ?? [value]),
    path: tenant.repository.path,
    gitReads,
    ...userActions(hands),
    async protect(branch, status) {
      await forge.protectBranch({ owner, name, branch, requiredStatusChecks: [status] });
      return status;
    },
    requireUpToDate: (branch) =>
      forge.protectBranch({ owner, name, branch, requiredStatusChecks: [], strict: true }),
    requireApproval: (branch) => forge.protectBranch({ owner, name, branch, requiredApprovals: 1 }),
    async approve(id) {
      await forge.approve({ owner, name, number: id, login: person.login });
    },
    requireQueue: (branch) => forge.protectBranch({ owner, name, branch, mergeQueue: true }),
    advanceQueue: (branch) => forge.advanceMergeQueue({ owner, name, branch }),
    dropFromQueue: (id) => forge.dropFromMergeQueue({ owner, name, number: id }),
    deleteMergedHeads: () => forge.configureRepository({ owner, name, deleteBranchOnMerge: true }),
    forbidMethod: (method) => hands.forbid(method),
    reviewers: (id) => hands.reviewers(id),
    loseStatuses,
    inject(target, fault, times) {
      const { path, ...match } = targets[target];
      const inside = { ...match, actor: login, path: `${home}/${path}` };
      forge.faults.add({ match: inside, times, ...faults[fault] });
    },
    writesToChange: () => 1,
    writes: () => forge.journal.count({ since, kind: 'write', actor: login }),
    close: () => registry.close(),
  };
}
