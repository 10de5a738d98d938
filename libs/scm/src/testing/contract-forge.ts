import type { FakeClock } from '@interlock/base/testing';
import type { FaultEffect, FaultMatch, Forge } from '@interlock/forge';
import type { MergeMethod } from '../scm.js';
import { createScmRegistry, type ScmRegistry, type ScmRegistryOptions } from '../registry.js';
import type { ContractHarness, ContractFixture, Fault, Lack, Target } from './contract-fixture.js';
import type { ForgeTenant } from './forge-fixture.js';
import { gitReads } from './git-user.js';
import { userActions, type UserActions } from './user-actions.js';

/** Returns a harness whose SCM is the local forge, with one of its APIs. */
export function forgeHarness<F extends { close(): Promise<void> }>(
  name: string,
  start: () => Promise<F>,
  open: (forge: F) => Promise<ContractFixture>,
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

/** The actions of a user at the forge, through its API and with git. */
interface ForgeUserActions extends UserActions {
  forbid(method: MergeMethod): Promise<void>;
  reviewers(id: number): Promise<string[]>;
}

interface ForgeFixtureOptions {
  forge: Forge;
  clock: FakeClock;
  tenant: ForgeTenant<{ readonly login: string }, Parameters<ScmRegistry['connect']>[0]['spec']>;
  plugins: Pick<ScmRegistryOptions, 'plugins' | 'external'>;
  actions: ForgeUserActions;
  /** Path of the API of the repository. */
  home: string;
  /** Paths below `home`. */
  targets: Record<Target, FaultMatch & { path: string }>;
  /** The refusals of the SCM. */
  faults: Record<Exclude<Fault, keyof typeof commonFaults>, FaultEffect>;
  loseStatuses: ContractFixture['loseStatuses'];
}

const commonFaults = {
  rateLimited: { rateLimit: 'primary' },
  secondaryLimit: { rateLimit: 'secondary' },
  cut: { cutAfterEffect: true },
} as const satisfies Partial<Record<Fault, FaultEffect>>;

/** Returns the fixture of a test at the local forge, with a commit on `main`. */
export async function openForgeFixture(
  options: ForgeFixtureOptions,
): Promise<ContractFixture & { registry: ScmRegistry }> {
  const { forge, clock, tenant, actions, home, targets, loseStatuses } = options;
  const { provider, secret, gitRepository, login, user } = tenant;
  const { owner, name } = tenant.repository;
  const faults: Record<Fault, FaultEffect> = { ...options.faults, ...commonFaults };
  const registry = createScmRegistry({ ...options.plugins, clock, random: () => 0.5 });
  await actions.commit('main');
  const since = forge.journal.seq;
  return {
    registry,
    clock,
    scm: registry.connect(provider, secret),
    repository: registry.repository(provider, secret, gitRepository),
    user: user.login,
    secrets: Object.values(secret).flatMap((value) => value.match(/\w{20,}/g) ?? [value]),
    path: tenant.repository.path,
    gitReads,
    ...userActions(actions),
    async protect(branch, status) {
      await forge.protectBranch({ owner, name, branch, requiredStatusChecks: [status] });
      return status;
    },
    requireUpToDate: (branch) =>
      forge.protectBranch({ owner, name, branch, requiredStatusChecks: [], strict: true }),
    requireApproval: (branch) => forge.protectBranch({ owner, name, branch, requiredApprovals: 1 }),
    async approve(id) {
      await forge.approve({ owner, name, number: id, login: user.login });
    },
    requireQueue: (branch) => forge.protectBranch({ owner, name, branch, mergeQueue: true }),
    advanceQueue: (branch) => forge.advanceMergeQueue({ owner, name, branch }),
    dropFromQueue: (id) => forge.dropFromMergeQueue({ owner, name, number: id }),
    deleteMergedHeads: () => forge.configureRepository({ owner, name, deleteBranchOnMerge: true }),
    forbidMethod: (method) => actions.forbid(method),
    reviewers: (id) => actions.reviewers(id),
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
