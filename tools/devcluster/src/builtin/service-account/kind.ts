import { checkSubdomain } from '../../registry/names.js';
import { boolean, list, listMap, object, string } from '../../schema/dsl.js';
import { ageColumn, column, defineKind, nameColumn } from '../define.js';
import { localReference } from '../meta/references.js';
import { createToken } from './token.js';

/** v1 ServiceAccount. */
export const serviceAccount = defineKind({
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  shortNames: ['sa'],
  schema: object(
    {
      secrets: listMap(
        object({
          name: string('Name of the Secret.'),
          namespace: string(),
          kind: string(),
          uid: string(),
          apiVersion: string(),
          resourceVersion: string(),
          fieldPath: string(),
        }),
        ['name'],
        'Secrets that pods of the account may use.',
      ),
      imagePullSecrets: list(localReference, 'Secrets for pulling images.'),
      automountServiceAccountToken: boolean('Whether pods get a token of the account.'),
    },
    'An identity for pods.',
  ),
  columns: [
    nameColumn,
    column('Secrets', 'Number of secrets.', (o) => (Array.isArray(o['secrets']) ? o['secrets'].length : 0)),
    ageColumn,
  ],
  subresources: {
    token: {
      kind: 'TokenRequest',
      group: 'authentication.k8s.io',
      version: 'v1',
      verbs: ['create'],
      handle: createToken,
    },
  },
  strategy: { checkName: checkSubdomain, returnsDeleted: true },
});
