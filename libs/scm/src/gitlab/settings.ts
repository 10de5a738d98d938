import { TypedError } from '@interlock/api';
import type { CallOptions } from '../call-options.js';
import type { MergeMethod, RepositoryInfo } from '../scm.js';
import type { ProjectClient } from './client.js';

/** The settings of a project (REST API, "Projects"). */
interface Settings extends RepositoryInfo {
  /** `merge`, `rebase_merge` (a merge commit, of a head that contains the base) or `ff`. */
  mergeMethod: string;
  /** `never`, `always`, `default_on` or `default_off`. */
  squashOption: string;
  /** Whether merge requests are merged by merge trains. */
  mergeTrains: boolean;
}

export function readSettings(client: ProjectClient, options?: CallOptions): Promise<Settings> {
  return client.read(
    (api) => api.Projects.show(client.id),
    { api: 'Repository', operation: 'get', priority: 'read', options },
    (project) => ({
      defaultBranch: project.default_branch,
      archived: project['archived'] === true,
      mergeMethod: project.merge_method,
      squashOption: project.squash_option,
      mergeTrains: project['merge_trains_enabled'] === true,
    }),
  );
}

/**
 * @param what for the message, as in `Exchange`.
 * @throws TypedError `Permanent` with reason `MergeMethodNotAllowed` when GitLab would use another method.
 */
export function refuseMethod(method: MergeMethod, settings: Settings, what: string): void {
  const { mergeMethod, squashOption } = settings;
  const commits = squashOption !== 'always';
  const allowed = {
    merge: mergeMethod !== 'ff' && commits,
    squash: squashOption !== 'never',
    // A fast-forward keeps the commits as a rebase does; GitLab does not rebase automatically.
    rebase: mergeMethod === 'ff' && commits,
  };
  if (allowed[method]) return;
  throw new TypedError(
    'Permanent',
    `${what}: the project does not allow the method ${method} (merge_method ${mergeMethod}, squash_option ${squashOption})`,
    { reason: 'MergeMethodNotAllowed' },
  );
}
