import type { RequestSubject } from '../record/request-journal.js';
import type { ServiceState } from './context.js';

/**
 * Returns the account of a credential; undefined when it has none, or when the account no longer exists.
 *
 * @param params the parameters of the route, in which an App names an installation
 */
export function ownerOf(
  { installations, runners, deliveries }: ServiceState,
  { kind, id }: RequestSubject,
  params: Readonly<Record<string, string>>,
): string | undefined {
  switch (kind) {
    case 'app':
      return installations.get(Number(params['id']))?.account;
    case 'installation':
      return installations.get(Number(id))?.account;
    case 'runner':
      return ownerOfScope(runners.get(Number(id))?.scope);
    case 'registration':
    case 'removal':
    case 'tenant':
      return ownerOfScope(id);
    case 'job':
      return deliveries.get(id)?.job.run.repository.split('/')[0];
    case 'anonymous':
    case 'unknown':
      return undefined;
  }
}

/** Returns the owner of a scope, which is `orgs/<owner>`, `repos/<owner>/<name>` or `enterprises/<owner>`. */
function ownerOfScope(scope: string | undefined): string | undefined {
  return scope?.split('/')[1];
}
