import { objectsAt, textAt, textsAt, type KubeObject } from '../object.js';
import { checkPathSegment } from '../registry/names.js';
import type { Resource } from '../registry/resource.js';
import { invalid, notSupported, required } from '../schema/field-error.js';
import { atomic, list, object, string } from '../schema/dsl.js';
import { jsonEqual } from '../schema/json.js';
import type { Cause } from '../schema/types.js';
import { ageColumn, column, defineKind, nameColumn, wide } from './define.js';
import { labelSelector } from './meta/label-selector.js';

const rbacGroup = 'rbac.authorization.k8s.io';

const rule = object(
  {
    verbs: list(string(), 'What may be done; * is everything.'),
    apiGroups: list(string(), 'Groups of the resources; "" is the core group.'),
    resources: list(string(), 'Plural names, with a subresource after a slash; * is all.'),
    resourceNames: list(string(), 'Names that the rule is limited to.'),
    nonResourceURLs: list(string(), 'Paths outside of the resources; only in a ClusterRole.'),
  },
  { required: ['verbs'] },
);

const rules = list(rule, 'What the role allows.');

const aggregationRule = object({
  clusterRoleSelectors: list(labelSelector, 'Which ClusterRoles the rules are taken from.'),
});

const roleRef = {
  ...atomic(
    object(
      {
        apiGroup: string('Group of the role.'),
        kind: string('Role or ClusterRole.'),
        name: string('Name of the role.'),
      },
      { required: ['apiGroup', 'kind', 'name'] },
    ),
  ),
  description: 'The role that is granted; cannot be changed.',
};

const subject = atomic(
  object(
    {
      kind: string('User, Group or ServiceAccount.'),
      apiGroup: string('Group of the kind; empty for a ServiceAccount.'),
      name: string('Name of the subject.'),
      namespace: string('Namespace of a ServiceAccount.'),
    },
    { required: ['kind', 'name'] },
  ),
);

function checkRules(namespaced: boolean): (o: KubeObject) => Cause[] {
  return (o) =>
    objectsAt(o, 'rules').flatMap((item, index) => {
      const field = `rules[${String(index)}]`;
      const causes: Cause[] = [];
      if (textsAt(item, 'verbs').length === 0) {
        causes.push(required(`${field}.verbs`, 'verbs must contain at least one value'));
      }
      const urls = textsAt(item, 'nonResourceURLs');
      const resources = textsAt(item, 'resources');
      if (urls.length > 0) {
        const why = 'namespaced rules cannot apply to non-resource URLs';
        if (namespaced) causes.push(invalid(`${field}.nonResourceURLs`, urls, why));
        if (resources.length > 0 || textsAt(item, 'apiGroups').length > 0) {
          const both = 'rules cannot apply to both regular resources and non-resource URLs';
          causes.push(invalid(`${field}.nonResourceURLs`, urls, both));
        }
        return causes;
      }
      if (textsAt(item, 'apiGroups').length === 0) {
        causes.push(required(`${field}.apiGroups`, 'resource rules must supply at least one api group'));
      }
      if (resources.length === 0) {
        causes.push(required(`${field}.resources`, 'resource rules must supply at least one resource'));
      }
      return causes;
    });
}

function defaultBinding(o: KubeObject): void {
  const ref = o['roleRef'];
  if (typeof ref === 'object' && ref !== null && !Array.isArray(ref) && textAt(ref, 'apiGroup') === '') {
    ref['apiGroup'] = rbacGroup;
  }
  for (const item of objectsAt(o, 'subjects')) {
    if (textAt(item, 'apiGroup') === '' && ['User', 'Group'].includes(textAt(item, 'kind'))) {
      item['apiGroup'] = rbacGroup;
    }
  }
}

function checkBinding(namespaced: boolean): (o: KubeObject) => Cause[] {
  return (o) => {
    const causes: Cause[] = [];
    const group = textAt(o, 'roleRef', 'apiGroup');
    if (group !== rbacGroup) causes.push(notSupported('roleRef.apiGroup', group, [rbacGroup]));
    const kinds = namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'];
    const kind = textAt(o, 'roleRef', 'kind');
    if (!kinds.includes(kind)) causes.push(notSupported('roleRef.kind', kind, kinds));
    if (textAt(o, 'roleRef', 'name') === '') causes.push(required('roleRef.name'));
    return [
      ...causes,
      ...objectsAt(o, 'subjects').flatMap((item, index) => checkSubject(item, index, namespaced)),
    ];
  };
}

function checkSubject(item: Parameters<typeof textAt>[0], index: number, namespaced: boolean): Cause[] {
  const field = `subjects[${String(index)}]`;
  const causes: Cause[] = [];
  if (textAt(item, 'name') === '') causes.push(required(`${field}.name`));
  const [kind, group] = [textAt(item, 'kind'), textAt(item, 'apiGroup')];
  switch (kind) {
    case 'ServiceAccount':
      if (group !== '') causes.push(notSupported(`${field}.apiGroup`, group, ['']));
      if (!namespaced && textAt(item, 'namespace') === '') causes.push(required(`${field}.namespace`));
      break;
    case 'User':
    case 'Group':
      if (group !== rbacGroup) causes.push(notSupported(`${field}.apiGroup`, group, [rbacGroup]));
      break;
    default:
      causes.push(notSupported(`${field}.kind`, kind, ['ServiceAccount', 'User', 'Group']));
  }
  return causes;
}

function checkRoleRefChange(o: KubeObject, old: KubeObject): Cause[] {
  const ref = o['roleRef'];
  return jsonEqual(ref, old['roleRef']) ? [] : [invalid('roleRef', ref, 'cannot change roleRef')];
}

const created = column(
  'Created At',
  'When the role was created.',
  ({ metadata }) => metadata.creationTimestamp ?? '',
  'date',
);
const role = column(
  'Role',
  'The granted role.',
  (o) => `${textAt(o, 'roleRef', 'kind')}/${textAt(o, 'roleRef', 'name')}`,
);

function subjectsColumn(title: string, kind: string): typeof role {
  return wide(
    column(title, `Subjects of kind ${kind}.`, (o) =>
      objectsAt(o, 'subjects')
        .filter((item) => textAt(item, 'kind') === kind)
        .map((item) =>
          kind === 'ServiceAccount'
            ? `${textAt(item, 'namespace')}/${textAt(item, 'name')}`
            : textAt(item, 'name'),
        )
        .join(', '),
    ),
  );
}

const subjects = [
  subjectsColumn('Users', 'User'),
  subjectsColumn('Groups', 'Group'),
  subjectsColumn('ServiceAccounts', 'ServiceAccount'),
];

function roleKind(kind: string, plural: string, namespaced: boolean): Resource {
  return defineKind({
    group: rbacGroup,
    kind,
    plural,
    namespaced,
    schema: object(
      { rules, ...(namespaced ? {} : { aggregationRule }) },
      { description: 'A set of rules that bindings grant.', required: ['rules'] },
    ),
    columns: [nameColumn, created],
    strategy: {
      checkName: checkPathSegment,
      createOnUpdate: true,
      validate: checkRules(namespaced),
      defaults: (o) => {
        o['rules'] ??= null;
      },
    },
  });
}

function bindingKind(kind: string, plural: string, namespaced: boolean): Resource {
  return defineKind({
    group: rbacGroup,
    kind,
    plural,
    namespaced,
    schema: object({ roleRef, subjects: list(subject, 'Who gets the role.') }, 'Grants a role to subjects.'),
    columns: [nameColumn, role, ageColumn, ...subjects],
    strategy: {
      checkName: checkPathSegment,
      createOnUpdate: true,
      defaults: defaultBinding,
      validate: checkBinding(namespaced),
      validateUpdate: checkRoleRefChange,
    },
  });
}

/** rbac.authorization.k8s.io/v1. */
export const rbacKinds: readonly Resource[] = [
  bindingKind('ClusterRoleBinding', 'clusterrolebindings', false),
  roleKind('ClusterRole', 'clusterroles', false),
  bindingKind('RoleBinding', 'rolebindings', true),
  roleKind('Role', 'roles', true),
];
