import type { FakeClock } from '@interlock/base/testing';
import type { FaultEffect, FaultMatch, Forge, RepositoryHandle } from '@interlock/forge';
import type { MergeMethod } from '../scm.js';
import { createScmRegistry, type ScmRegistry, type ScmRegistryOptions } from '../registry.js';
import type {
  ContractHarness,
  ContractWorld,
  Fault,
  Lack,
  ShownPullRequest,
  ShownStatus,
  Target,
  WrittenFile,
} from './contract-world.js';
import { gitReads } from './git-hands.js';

/** @returns a harness whose SCM is the local forge, with one of its APIs. */
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

/** What a person does at the SCM, through its API and with git. */
export interface Hands {
  commit(branch: string): Promise<string>;
  write(branch: string, files: readonly WrittenFile[]): Promise<string>;
  open(head: string, base: string): Promise<number>;
  close(id: number): Promise<void>;
  retarget(id: number, base: string): Promise<void>;
  merge(id: number): Promise<void>;
  conflict(id: number): Promise<void>;
  forbid(method: MergeMethod): Promise<void>;
  pullRequests(): Promise<ShownPullRequest[]>;
  comment(id: number, body: string): Promise<void>;
  comments(id: number): Promise<string[]>;
  reviewers(id: number): Promise<string[]>;
  status(sha: string, name: string): Promise<ShownStatus | undefined>;
}

type Resource = Parameters<ScmRegistry['connect']>[0];

/** A repository that nobody else uses, and the plugin's credential for it. */
interface ForgeTenant {
  readonly repository: RepositoryHandle;
  /** Under which the forge records what the plugin does. */
  readonly login: string;
  readonly person: { readonly login: string };
  readonly provider: Resource;
  readonly secret: Readonly<Record<string, string>>;
  readonly gitRepository: Resource;
}

interface ForgeWorldOptions {
  forge: Forge;
  clock: FakeClock;
  tenant: ForgeTenant;
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

/** @returns the world of a test at the local forge, with its `main` committed. */
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
    commit: (branch) => hands.commit(branch),
    write: (branch, files) => hands.write(branch, files),
    open: (head, base) => hands.open(head, base),
    closePullRequest: (id) => hands.close(id),
    retarget: (id, base) => hands.retarget(id, base),
    merge: (id) => hands.merge(id),
    conflict: (id) => hands.conflict(id),
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
    pullRequests: () => hands.pullRequests(),
    comment: (id, body) => hands.comment(id, body),
    comments: (id) => hands.comments(id),
    reviewers: (id) => hands.reviewers(id),
    status: (sha, context) => hands.status(sha, context),
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
