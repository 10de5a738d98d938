import type { DomainContext } from './context.js';
import type { Job, Runner, Session } from './model.js';

/** Returns whether a runner may take a job: by its labels, its scope, and the repositories of its group. */
export function mayRun(context: DomainContext, runner: Runner, job: Job): boolean {
  const labels = new Set(runner.labels.map((label) => label.toLowerCase()));
  return (
    job.labels.every((label) => labels.has(label.toLowerCase())) &&
    scopeAdmits(runner.scope, job.run.repository) &&
    groupAdmits(context, runner, job.run.repository)
  );
}

/** Returns whether a session waits for a job and has no offer yet. */
export function isIdle(context: DomainContext, session: Session): boolean {
  const { runner, poll } = session;
  return (
    poll?.status === 'online' &&
    !poll.superseded &&
    session.offer === undefined &&
    !runner.disabled &&
    runner.consumed === undefined &&
    !runner.used &&
    (context.settings.dialect === 'seed' || runner.held.size === 0)
  );
}

function scopeAdmits(scope: string, repository: string): boolean {
  const [kind = '', owner = '', name = ''] = scope.toLowerCase().split('/');
  const [repositoryOwner, repositoryName] = repository.toLowerCase().split('/');
  switch (kind) {
    case 'repos':
      return owner === repositoryOwner && name === repositoryName;
    case 'orgs':
      return owner === repositoryOwner;
    default:
      return true;
  }
}

function groupAdmits(context: DomainContext, runner: Runner, repository: string): boolean {
  const admitted = context.state.groups.get(runner.groupId)?.repositories;
  return admitted?.some((name) => name.toLowerCase() === repository.toLowerCase()) ?? true;
}
