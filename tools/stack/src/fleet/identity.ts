import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  ClusterRole,
  ClusterRoleBinding,
  Role,
  RoleBinding,
  ServiceAccount,
  type Client,
} from '@interlock/kube';
import { parse } from 'yaml';
import type { Namespaces } from '../cluster/cluster.js';
import { embeddedNamespaces } from '../cluster/embedded.js';
import { chartFile } from '../paths.js';
import type { Grant, Rule } from './effective-access.js';

const fieldManager = 'stack';

/** Files with permissions in one namespace; all other files contain permissions in the whole cluster. */
const narrowFiles: Readonly<Record<string, keyof Namespaces>> = {
  'leader-election-rules.yaml': 'system',
  'config-rules.yaml': 'config',
};

/** The values of a chart that are read: the subjects that the responder may read. */
interface Values {
  locate?: { subjects?: Pick<Rule, 'apiGroups' | 'resources'>[] };
}

/**
 * Creates or updates the service account of an app, with exactly the permissions that its chart grants by default.
 * Returns these permissions, which the API server may observe with a delay.
 */
export async function installIdentity(
  client: Client,
  app: string,
  namespaces = embeddedNamespaces,
): Promise<Grant[]> {
  const account = { name: app, namespace: namespaces.system };
  await client.apply(ServiceAccount, { metadata: account }, { fieldManager });
  const folder = chartFile(app, 'files');
  const files = (await readdir(folder)).filter((file) => file.endsWith('rules.yaml'));
  const everywhere: Rule[] = await subjectRules(app);
  const grants: Grant[] = [{ rules: everywhere }];
  for (const file of files) {
    const rules = parse(await readFile(join(folder, file), 'utf8')) as Rule[];
    const narrow = narrowFiles[file];
    if (narrow === undefined) everywhere.push(...rules);
    else {
      const name = `${app}-${file.replace('-rules.yaml', '')}`;
      const namespace = namespaces[narrow];
      await grant(client, account, { namespace, name }, rules);
      grants.push({ namespace, rules });
    }
  }
  await grant(client, account, { name: `interlock-${app}` }, everywhere);
  return grants;
}

async function grant(
  client: Client,
  account: { name: string; namespace: string },
  metadata: { name: string; namespace?: string },
  rules: readonly Rule[],
): Promise<void> {
  const [role, binding] =
    metadata.namespace === undefined ? [ClusterRole, ClusterRoleBinding] : [Role, RoleBinding];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: role.kind, name: metadata.name };
  await client.apply(role, { metadata, rules }, { fieldManager });
  await client.apply(
    binding,
    { metadata, subjects: [{ kind: 'ServiceAccount', ...account }], roleRef },
    { fieldManager },
  );
}

async function subjectRules(app: string): Promise<Rule[]> {
  const { locate } = parse(await readFile(chartFile(app, 'values.yaml'), 'utf8')) as Values;
  return (locate?.subjects ?? []).map((subject) => ({ ...subject, verbs: ['get'] }));
}
