import { expect } from 'expect';
import {
  cause,
  causesOf,
  check,
  conditionOf,
  define,
  definitionOf,
  definitions,
  type Cases,
  type Fields,
} from './definition.js';

const open: Fields = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const schema = { openAPIV3Schema: open };

/** Rules about the definitions themselves: names, versions, conditions. */
export const definitionCases: Cases = {
  'accepts the names of a definition and establishes it': async (scope) => {
    const widgets = await define(scope);
    const { body } = await scope.api.get(widgets.definition);
    expect(conditionOf(body, 'NamesAccepted')).toMatchObject({
      status: 'True',
      reason: 'NoConflicts',
      message: 'no conflicts found',
    });
    expect(conditionOf(body, 'Established')).toMatchObject({
      status: 'True',
      reason: 'InitialNamesAccepted',
      message: 'the initial names have been accepted',
    });
    expect(conditionOf(body, 'NonStructuralSchema')).toBeUndefined();
    expect(conditionOf(body, 'KubernetesAPIApprovalPolicyConformant')).toBeUndefined();
    expect(body.status).toMatchObject({
      storedVersions: ['v1'],
      acceptedNames: { plural: 'widgets', kind: 'Widget' },
    });
  },

  'answers the creation of a definition before its names are accepted': async (scope) => {
    const definition = definitionOf(scope);
    scope.deleteAfterwards(`${definitions}/${definition.metadata.name}`);
    const { status, body } = await scope.api.post(definitions, definition);
    expect(status).toBe(201);
    expect(body.status).toEqual({
      conditions: null,
      acceptedNames: { plural: '', kind: '' },
      storedVersions: ['v1'],
    });
    expect(body.metadata).toMatchObject({ generation: 1, uid: expect.any(String) });
  },

  'fills in the singular name, the list kind and the conversion of a definition': async (scope) => {
    const { status, body } = await scope.api.post(definitions, definitionOf(scope), {
      query: { dryRun: 'All' },
    });
    expect(status).toBe(201);
    expect(body.spec).toMatchObject({
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      conversion: { strategy: 'None' },
    });
  },

  'refuses a definition that is not named by plural and group': async (scope) => {
    const definition = definitionOf(scope);
    const named = { ...definition, metadata: { name: `gadgets.${String(definition.spec['group'])}` } };
    const dryRun = { query: { dryRun: 'All' } };
    expect(causesOf(await scope.api.post(definitions, named, dryRun))).toEqual([
      cause('metadata.name', 'must be spec.names.plural+"."+spec.group'),
    ]);
    expect((await scope.api.post(definitions, definition, dryRun)).status).toBe(201);
  },

  'reports names that another definition of the group uses as a conflict': async (scope) => {
    const widgets = await define(scope, { names: { shortNames: ['wdg'] } });
    const second = definitionOf(scope);
    const name = `gadgets.${widgets.group}`;
    const spec = {
      ...second.spec,
      group: widgets.group,
      names: { plural: 'gadgets', singular: 'gadget', kind: 'Widget', listKind: 'GadgetList' },
    };
    const path = `${definitions}/${name}`;
    scope.deleteAfterwards(path);
    expect((await scope.api.post(definitions, { ...second, metadata: { name }, spec })).status).toBe(201);
    const { body } = await scope.eventually(
      path,
      (answer) => conditionOf(answer.body, 'NamesAccepted') !== undefined,
    );
    expect(conditionOf(body, 'NamesAccepted')).toMatchObject({
      status: 'False',
      reason: 'KindConflict',
      message: '"Widget" is already in use',
    });
    expect(conditionOf(body, 'Established')).toMatchObject({ status: 'False', reason: 'NotAccepted' });
    expect((await scope.api.get(`/apis/${widgets.group}/v1/gadgets`)).status).toBe(404);
  },

  'accepts names once the definition that used them is gone': async (scope) => {
    const widgets = await define(scope);
    const second = definitionOf(scope);
    const name = `gadgets.${widgets.group}`;
    const path = `${definitions}/${name}`;
    scope.deleteAfterwards(path);
    const spec = { ...second.spec, group: widgets.group, names: { plural: 'gadgets', kind: 'Widget' } };
    await scope.api.post(definitions, { ...second, metadata: { name }, spec });
    await scope.eventually(path, ({ body }) => conditionOf(body, 'NamesAccepted')?.['status'] === 'False');
    expect((await scope.api.delete(widgets.definition)).status).toBe(200);
    await scope.eventually(path, ({ body }) => conditionOf(body, 'Established')?.['status'] === 'True');
    await scope.eventually(`/apis/${widgets.group}/v1/gadgets`, ({ status }) => status === 200);
  },

  'refuses names of a definition that are not DNS labels': async (scope) => {
    expect(await check(scope, { names: { kind: 'Wid_get' } })).toContainEqual(
      cause('spec.names.kind', 'a DNS-1035 label must consist of'),
    );
    expect(await check(scope, { names: { shortNames: ['ok', 'NOT_OK'] } })).toEqual([
      cause('spec.names.shortNames[1]', 'a DNS-1035 label must consist of'),
    ]);
    expect(await check(scope, { names: { singular: 'Widget' } })).toEqual([
      cause('spec.names.singular', 'a DNS-1035 label must consist of'),
    ]);
    expect(await check(scope, { names: { listKind: 'Widget' } })).toEqual([
      cause('spec.names.listKind', 'kind and listKind may not be the same'),
    ]);
    expect(await check(scope, { names: { shortNames: ['ok'], categories: ['all-widgets'] } })).toEqual([]);
  },

  'refuses a definition whose group is not a domain': async (scope) => {
    const post = async (group: string) => {
      const definition = definitionOf(scope, { more: { group } });
      return scope.api.post(
        definitions,
        { ...definition, metadata: { name: `widgets.${group}` } },
        { query: { dryRun: 'All' } },
      );
    };
    expect(causesOf(await post('plain'))).toEqual([
      cause('spec.group', 'should be a domain with at least one dot'),
    ]);
    expect(causesOf(await post('k8s.io'))).toEqual([
      cause(
        'metadata.annotations[api-approved.kubernetes.io]',
        'protected groups must have approval annotation',
        'FieldValueRequired',
      ),
    ]);
    expect((await post(`${scope.name('plain')}.example.com`)).status).toBe(201);
  },

  'refuses another scope than Cluster and Namespaced': async (scope) => {
    expect(await check(scope, { more: { scope: 'Galaxy' } })).toEqual([
      cause('spec.scope', 'supported values: "Cluster", "Namespaced"', 'FieldValueNotSupported'),
    ]);
    expect(await check(scope, { more: { scope: 'Cluster' } })).toEqual([]);
  },

  'requires exactly one storage version and names of versions that differ': async (scope) => {
    const two = (first: Fields, second: Fields) =>
      check(scope, {
        versions: [
          { name: 'v1', ...first },
          { name: 'v2', ...second },
        ],
      });
    expect(await two({}, {})).toContainEqual(
      cause('spec.versions', 'must have exactly one version marked as storage version'),
    );
    expect(await two({ storage: false }, { storage: false })).toContainEqual(
      cause('spec.versions', 'must have exactly one version marked as storage version'),
    );
    expect(await two({}, { name: 'v1', storage: false })).toEqual([
      cause('spec.versions', 'must contain unique version names'),
    ]);
    expect(await two({}, { storage: false })).toEqual([]);
  },

  'refuses a version without a schema and a name that is not a DNS label': async (scope) => {
    expect(await check(scope, { version: { schema: undefined } })).toContainEqual(
      cause('spec.versions[0].schema.openAPIV3Schema', 'Required value', 'FieldValueRequired'),
    );
    expect(await check(scope, { version: { name: 'V1' } })).toContainEqual(
      cause('spec.versions[0].name', 'a DNS-1035 label must consist of'),
    );
    expect(await check(scope, { version: { name: 'v1alpha1', schema } })).toEqual([]);
  },

  'warns of the use of a deprecated version': async (scope) => {
    const deprecationWarning = 'widgets v1 end next year';
    expect(await check(scope, { version: { deprecationWarning } })).toEqual([
      cause('spec.versions[0].deprecationWarning', 'can only be set for deprecated versions'),
    ]);
    const versions = [
      { name: 'v1', deprecated: true, deprecationWarning },
      { name: 'v2', deprecated: true, storage: false },
      { name: 'v3', storage: false },
    ];
    const widgets = await define(scope, { versions });
    expect((await scope.api.get(widgets.list())).warnings).toEqual([deprecationWarning]);
    expect((await scope.api.get(widgets.list('v2'))).warnings).toEqual([
      `${widgets.group}/v2 Widget is deprecated; use ${widgets.group}/v3 Widget`,
    ]);
    expect((await scope.api.get(widgets.list('v3'))).warnings).toEqual([]);
  },

  'keeps group, plural and, once established, kind and scope of a definition': async (scope) => {
    const widgets = await define(scope);
    const { body } = await scope.api.get(widgets.definition);
    const names = body.spec?.['names'] as Fields;
    const change = (spec: Fields) => scope.api.patch(widgets.definition, 'merge', { spec });
    expect(causesOf(await change({ scope: 'Cluster' }))).toEqual([cause('spec.scope', 'field is immutable')]);
    expect(causesOf(await change({ names: { ...names, kind: 'Gadget' } }))).toEqual([
      cause('spec.names.kind', 'field is immutable'),
    ]);
    expect(causesOf(await change({ names: { ...names, plural: 'gadgets' } }))).toContainEqual(
      cause('spec.names.plural', 'field is immutable'),
    );
    expect(causesOf(await change({ group: 'other.example.com' }))).toContainEqual(
      cause('spec.group', 'field is immutable'),
    );
    expect((await change({ names: { ...names, categories: ['more'] } })).status).toBe(200);
  },

  'increments the generation of a definition with its spec only': async (scope) => {
    const widgets = await define(scope);
    const labelled = await scope.api.patch(widgets.definition, 'merge', { metadata: { labels: { a: 'b' } } });
    expect(labelled.body.metadata.generation).toBe(1);
    const changed = await scope.api.patch(widgets.definition, 'merge', {
      spec: { names: { shortNames: ['wx'] } },
    });
    expect(changed.body.metadata.generation).toBe(2);
    const { body } = await scope.eventually(widgets.definition, (answer) =>
      JSON.stringify((answer.body.status as Fields)['acceptedNames']).includes('wx'),
    );
    expect(body.metadata.generation).toBe(2);
  },
};
