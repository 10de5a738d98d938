import { ArgoCDCommitStatus, keyOf, matchesLabels } from '@interlock/api';
import type { Manager, OptionalCache } from '@interlock/kube';
import type { Actor } from '../sources/act.js';
import type { SourceCaches } from '../sources/caches.js';
import { statesOf } from '../sources/foreign.js';
import { addHealthController } from '../sources/health-controller.js';
import { Patience } from '../sources/patience.js';
import { inScope } from '../sources/selector.js';
import type { Application } from './application.js';
import { decideArgoCD } from './decide.js';

/** Adds the controller of ArgoCDCommitStatuses. An event of an Application wakes each one that selects it. */
export function addArgoCDController(
  manager: Manager,
  actor: Actor,
  caches: SourceCaches,
  applications: OptionalCache<Application>,
): void {
  const { argocd } = caches;
  const handle = addHealthController(manager, actor, caches, {
    name: 'argocd-commit-status',
    kind: ArgoCDCommitStatus,
    cache: argocd,
    patience: new Patience([applications]),
    decide: ({ problem, ...known }, now) => {
      const { source } = known.observed;
      const selected = () => applications.list().filter((application) => selects(source, application));
      return decideArgoCD({ ...known, applications: problem ?? selected() }, now);
    },
  });
  const wake = (concerned: (source: ArgoCDCommitStatus) => boolean) =>
    argocd
      .list()
      .filter(concerned)
      .forEach((source) => handle.enqueue(keyOf(source)));
  applications.subscribe((event) => {
    const states = statesOf(event);
    wake((source) => states.some((application) => selects(source, application)));
  });
  applications.onAvailability(() => wake(() => true));
}

/** @returns whether an ArgoCDCommitStatus looks at an Application. */
function selects(source: ArgoCDCommitStatus, application: Application): boolean {
  return (
    inScope(source, application) &&
    matchesLabels(source.spec.applicationSelector, application.metadata.labels)
  );
}
