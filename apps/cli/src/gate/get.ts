import { usage } from '../exit.js';
import { list } from '../listing/list.js';
import type { Session } from '../session.js';
import { viewNamed, viewNames, views } from './views.js';

export interface GetOptions {
  allNamespaces?: boolean;
  labelSelector?: string;
  watch?: boolean;
  header: boolean;
}

/** Runs `get KIND [NAME]`: lists objects. */
export async function get(
  session: Session,
  kind: string,
  name: string | undefined,
  options: GetOptions,
): Promise<void> {
  const found = viewNamed(kind);
  if (found === undefined) throw usage(`unknown kind ${kind}; write one of ${viewNames.join(', ')}`);
  const { namespace } = session;
  const { allNamespaces, ...rest } = options;
  await list(session, views[found], {
    ...rest,
    ...((allNamespaces !== true || name !== undefined) && { namespace }),
    name,
  });
}
