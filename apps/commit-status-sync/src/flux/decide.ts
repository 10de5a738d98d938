import {
  matchesLabels,
  type FluxCommitStatus,
  type HealthSourceStatus,
  type ObjectKey,
} from '@interlock/api';
import { isProblem, type OrProblem } from '@interlock/base';
import { unknownEnvironment } from '../sources/children.js';
import { decideHealth, judgedIn, scopeOf } from '../sources/health.js';
import type { ActiveEnvironment, JudgedObject, ObservedSource, SourceDecision } from '../sources/model.js';
import { branchOf, repositoryOfUrl } from '../sources/repository.js';
import { inScope } from '../sources/selector.js';
import { applierOf, gitSourceOf, HelmRelease, type FluxGitRepository, type FluxWorkload } from './objects.js';
import { judgeWorkload, revisionsOf } from './verdict.js';

/** The branch of a Flux GitRepository that does not name one. */
const defaultBranch = 'master';

/** What the reports of a FluxCommitStatus depend on. */
export interface ObservedFlux {
  observed: ObservedSource<FluxCommitStatus>;
  /** `host/owner/name` of the strategy's repository, or why it is not known. */
  repository: OrProblem<string>;
  /** The Kustomizations and HelmReleases that it selects, or why they are not known. */
  workloads: OrProblem<readonly FluxWorkload[]>;
  /** Kustomizations that applied workloads, and GitRepositories that they come from. */
  kustomization: (key: ObjectKey) => FluxWorkload | undefined;
  gitRepository: (key: ObjectKey) => FluxGitRepository | undefined;
}

/** Returns what a FluxCommitStatus reports. Pure; `now` in milliseconds since the epoch. */
export function decideFlux(flux: ObservedFlux, now: number): SourceDecision<HealthSourceStatus> {
  const { source, strategy } = flux.observed;
  const { environments, where } = scopeOf(flux.observed);
  return decideHealth(
    {
      observed: flux.observed,
      objects: judged(flux, environments),
      specProblem: unknownEnvironment(source.spec.environments ?? [], strategy),
      noun: 'Flux objects',
      nothingSelected: (branch) =>
        `no Kustomization or HelmRelease that is selected in ${where} deploys ${branch}; label an object, or correct the selectors`,
    },
    now,
  );
}

/** Returns whether a FluxCommitStatus selects a workload. */
export function selectsWorkload(source: FluxCommitStatus, workload: FluxWorkload): boolean {
  const { selector, environments = [] } = source.spec;
  const selectors = [
    ...(selector ? [selector] : []),
    ...environments.map((environment) => environment.selector),
  ];
  return inScope(source, workload) && selectors.some((each) => matchesLabels(each, workload.metadata.labels));
}

function judged(
  flux: ObservedFlux,
  environments: readonly ActiveEnvironment[],
): OrProblem<readonly JudgedObject[]> {
  const { workloads, repository } = flux;
  if (isProblem(workloads)) return workloads;
  if (isProblem(repository)) return repository;
  return workloads.map((workload): JudgedObject => {
    const { namespace = '', name } = workload.metadata;
    const object = { kind: workload.kind, namespace, name };
    const found = branchOfWorkload(flux, repository, workload);
    const environment = environments.find(({ branch }) => branch === found);
    if (environment === undefined) {
      const message =
        found === undefined
          ? "is not known to come from the strategy's repository"
          : `comes from ${found}, which is not an environment`;
      return { ...object, verdict: { phase: 'in_progress', message } };
    }
    const own = sourceBranch(flux, repository, workload) !== undefined;
    const revisions = revisionsOf(workload, own, applierOfWorkload(flux, workload));
    return judgedIn(environment, object, (sha, tip) => judgeWorkload(workload, revisions, sha, tip));
  });
}

/**
 * Returns the branch that a workload runs: the branch that the spec names, the branch of its GitRepository, or the branch of the
 * Kustomization that applied it.
 */
function branchOfWorkload(
  flux: ObservedFlux,
  repository: string,
  workload: FluxWorkload,
): string | undefined {
  const mapped = flux.observed.source.spec.environments?.find(({ selector }) =>
    matchesLabels(selector, workload.metadata.labels),
  );
  const own = mapped?.branch ?? sourceBranch(flux, repository, workload);
  if (own !== undefined || workload.kind !== HelmRelease.kind) return own;
  const applier = applierOfWorkload(flux, workload);
  return applier && branchOfWorkload(flux, repository, applier);
}

/** Returns the branch of the strategy's repository that a workload comes from. */
function sourceBranch(flux: ObservedFlux, repository: string, workload: FluxWorkload): string | undefined {
  const source = gitSourceOf(workload);
  const gitRepository = source && flux.gitRepository(source);
  if (gitRepository === undefined || repositoryOfUrl(gitRepository.spec.url ?? '') !== repository)
    return undefined;
  const { branch, name } = gitRepository.spec.ref ?? {};
  return branchOf(name ?? branch ?? defaultBranch);
}

function applierOfWorkload(flux: ObservedFlux, workload: FluxWorkload): FluxWorkload | undefined {
  const key = applierOf(workload);
  return key && flux.kustomization(key);
}
