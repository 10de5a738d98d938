import type { ForgeApi } from './forge-api.js';

/** The fields of a pull request that are the same for every SCM. */
interface SeenPullRequest {
  base: string;
  merged: boolean;
}

/** The state of the forge as a user sees it. */
export interface ForgeView {
  /** Returns all pull requests of a repository. */
  pullRequests(repository: string): Promise<SeenPullRequest[]>;
  /** Returns all reports about a commit, including replaced ones, as sorted `<name> <phase>`. */
  reports(repository: string, sha: string): Promise<string[]>;
}

export function githubView(api: ForgeApi): ForgeView {
  return {
    async pullRequests(repository) {
      const pulls = await api.pullRequests(repository);
      return pulls.map(({ base, merged_at: merged }) => ({ base: base.ref, merged: merged !== null }));
    },
    async reports(repository, sha) {
      const runs = await api.checkRuns(repository, sha);
      return runs.map(({ name, status, conclusion }) => `${name} ${conclusion ?? status}`).sort();
    },
  };
}

/** @param api GitHub's API of the forge, which returns all reports through Gitea's API, including the history. */
export function giteaView(api: ForgeApi): ForgeView {
  const finished = ['success', 'failure', 'error'];
  return {
    ...githubView(api),
    async reports(repository, sha) {
      const path = `/repos/${repository}/commits/${sha}/statuses?per_page=100`;
      const statuses = (await api.call('GET', path)) as { context: string; state: string }[];
      return statuses
        .filter(({ state }) => finished.includes(state))
        .map(({ context, state }) => `${context} ${state}`)
        .sort();
    },
  };
}

/** @param api GitLab's API of the forge. */
export function gitlabView(api: ForgeApi): ForgeView {
  const project = (repository: string): string => `/projects/${encodeURIComponent(repository)}`;
  const phases: Readonly<Record<string, string>> = { failed: 'failure' };
  return {
    async pullRequests(repository) {
      const path = `${project(repository)}/merge_requests?per_page=100`;
      const requests = (await api.call('GET', path)) as { target_branch: string; state: string }[];
      return requests.map(({ target_branch: base, state }) => ({ base, merged: state === 'merged' }));
    },
    async reports(repository, sha) {
      const path = `${project(repository)}/repository/commits/${sha}/statuses?all=true&per_page=100`;
      const statuses = (await api.call('GET', path)) as { name: string; status: string }[];
      return statuses.map(({ name, status }) => `${name} ${phases[status] ?? status}`).sort();
    },
  };
}
