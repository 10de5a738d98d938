import type { ArgoCDCommitStatus, HealthSourceStatus } from '@interlock/api';
import { isProblem, type OrProblem } from '@interlock/base';
import { decideHealth, judgedIn, scopeOf } from '../sources/health.js';
import type { ActiveEnvironment, JudgedObject, ObservedSource, SourceDecision } from '../sources/model.js';
import { Application } from './application.js';
import { followedSources, judgeApplication } from './verdict.js';

/** What the reports of an ArgoCDCommitStatus depend on. */
export interface ObservedArgoCD {
  observed: ObservedSource<ArgoCDCommitStatus>;
  /** `host/owner/name` of the strategy's repository, or why it is not known. */
  repository: OrProblem<string>;
  /** The Applications that the selector selects, or why they are not known. */
  applications: OrProblem<readonly Application[]>;
}

/** Returns what an ArgoCDCommitStatus reports. Pure; `now` in milliseconds since the epoch. */
export function decideArgoCD(
  { observed, repository, applications }: ObservedArgoCD,
  now: number,
): SourceDecision<HealthSourceStatus> {
  const { environments, where } = scopeOf(observed);
  return decideHealth(
    {
      observed,
      objects: judged(repository, applications, environments),
      noun: 'Applications',
      nothingSelected: (branch) =>
        `no Application that spec.applicationSelector selects in ${where} follows branch ${branch} of the strategy's repository; label an Application, or correct the selector`,
    },
    now,
  );
}

function judged(
  repository: OrProblem<string>,
  applications: OrProblem<readonly Application[]>,
  environments: readonly ActiveEnvironment[],
): OrProblem<readonly JudgedObject[]> {
  if (isProblem(applications)) return applications;
  if (isProblem(repository)) return repository;
  return applications.flatMap((application) => judgedApplication(application, repository, environments));
}

/* An Application with several sources may follow several environments, and concerns each. */
function judgedApplication(
  application: Application,
  repository: string,
  environments: readonly ActiveEnvironment[],
): JudgedObject[] {
  const { namespace = '', name } = application.metadata;
  const object = { kind: Application.kind, namespace, name };
  const found = followedSources(application, repository).flatMap((source) => {
    const environment = environments.find(({ branch }) => branch === source.branch);
    if (environment === undefined) return [];
    return [judgedIn(environment, object, (sha, tip) => judgeApplication(application, source, sha, tip))];
  });
  const message = "does not follow an environment branch of the strategy's repository";
  return found.length > 0 ? found : [{ ...object, verdict: { phase: 'in_progress', message } }];
}
