import type { GithubRoute } from './call.js';
import { appHookRoutes } from './resources/app-hooks.js';
import { appRoutes } from './resources/apps.js';
import { branchRoutes } from './resources/branches.js';
import { checkRunRoutes } from './resources/check-runs.js';
import { commitRoutes } from './resources/commits.js';
import { contentRoutes } from './resources/contents.js';
import { graphqlRoutes } from './resources/graphql.js';
import { gitDataRoutes } from './resources/git-data.js';
import { hookRoutes } from './resources/hooks.js';
import { issueRoutes } from './resources/issues.js';
import { pullRoutes } from './resources/pulls.js';
import { referenceRoutes } from './resources/references.js';
import { repositoryRoutes } from './resources/repositories.js';
import { reviewRoutes } from './resources/reviews.js';
import { serverRoutes } from './resources/server.js';
import { statusRoutes } from './resources/statuses.js';

/** Every route of the GitHub API. */
export const githubRoutes: readonly GithubRoute[] = [
  ...serverRoutes,
  ...graphqlRoutes,
  ...appRoutes,
  ...appHookRoutes,
  ...repositoryRoutes,
  ...branchRoutes,
  ...referenceRoutes,
  ...gitDataRoutes,
  ...contentRoutes,
  ...commitRoutes,
  ...pullRoutes,
  ...reviewRoutes,
  ...issueRoutes,
  ...statusRoutes,
  ...checkRunRoutes,
  ...hookRoutes,
];
