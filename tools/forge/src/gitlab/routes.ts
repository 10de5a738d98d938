import type { GitlabRoute } from './call.js';
import { fileRoutes } from './resources/files.js';
import { hookRoutes } from './resources/hooks.js';
import { mergeRequestRoutes } from './resources/merge-requests.js';
import { mergeTrainRoutes } from './resources/merge-trains.js';
import { noteRoutes } from './resources/notes.js';
import { projectRoutes } from './resources/projects.js';
import { repositoryRoutes } from './resources/repository.js';
import { statusRoutes } from './resources/statuses.js';

/** Every route of the GitLab API. */
export const gitlabRoutes: readonly GitlabRoute[] = [
  ...projectRoutes,
  ...repositoryRoutes,
  ...fileRoutes,
  ...mergeRequestRoutes,
  ...mergeTrainRoutes,
  ...noteRoutes,
  ...statusRoutes,
  ...hookRoutes,
];
