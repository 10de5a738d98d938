import type { GiteaRoute } from './call.js';
import { contentRoutes } from './resources/contents.js';
import { discussionRoutes } from './resources/discussion.js';
import { gitRoutes } from './resources/git.js';
import { labelRoutes } from './resources/labels.js';
import { pullRoutes } from './resources/pulls.js';
import { repositoryRoutes } from './resources/repository.js';

/** Every route of the Gitea API. */
export const giteaRoutes: readonly GiteaRoute[] = [
  ...repositoryRoutes,
  ...gitRoutes,
  ...contentRoutes,
  ...pullRoutes,
  ...labelRoutes,
  ...discussionRoutes,
];
