import { typeMeta } from '@interlock/api';
import { repositoryUrl } from '../../sources/testing/builders.js';
import {
  Application,
  trimApplication,
  type ApplicationSpec,
  type ApplicationStatus,
} from '../application.js';

const longAgo = '2026-01-01T00:00:00Z';

/** Returns an Application that follows a branch, as the API server returns it, trimmed. */
export function application(
  name: string,
  branch: string,
  status: ApplicationStatus,
  spec: ApplicationSpec = { source: { repoURL: repositoryUrl, targetRevision: branch } },
): Application {
  return trimApplication({
    ...typeMeta(Application),
    metadata: { name, namespace: 'argocd' },
    spec,
    status,
  });
}

/** Returns the status of an Application that Argo CD has compared with a commit. */
export function at(
  revision: string,
  health = 'Healthy',
  sync = 'Synced',
  more: Partial<ApplicationStatus> = {},
): ApplicationStatus {
  return {
    health: { status: health, lastTransitionTime: longAgo },
    sync: { status: sync, revision },
    ...more,
  };
}
