import { invalid, notSupported, RawJson, required } from '../field-error.js';
import { goStructJson, jsonEqual } from '../json.js';
import { at, child, key } from '../path.js';
import type { Cause, JsonObject } from '../types.js';
import { checkConversion } from './conversion.js';
import { isCommon, isEstablished } from './model.js';
import type { CrdSpec, CrdVersion, CustomResourceDefinition } from './model.js';
import { checkLabel, checkNames, subdomainErrors } from './names.js';
import { checkVersionSchema } from './version-schema.js';
import { checkShape } from './shape.js';
import { checkColumn, checkDeprecation, checkSelectableFields, checkSubresources } from './versions.js';

const approvalAnnotation = 'api-approved.kubernetes.io';

/**
 * Returns the causes for which the API server refuses a CustomResourceDefinition (apiextensions.k8s.io/v1), which has
 * been defaulted; none when it is valid. General rules of `metadata` are not checked.
 *
 * @param old the definition before an update.
 */
export function validateCustomResourceDefinition(crd: JsonObject, old?: JsonObject): Cause[] {
  const misshapen = checkShape(crd);
  if (misshapen.length > 0) return misshapen;
  const definition: CustomResourceDefinition = crd;
  const before: CustomResourceDefinition | undefined = old;
  const { spec = {} } = definition;
  return [
    ...checkName(definition),
    ...checkSpec(spec, before?.spec),
    ...(before === undefined ? [] : checkUpdate(spec, before)),
    ...(before === undefined ? [] : checkStoredVersions(definition)),
    ...checkApproval(definition),
    ...(spec.preserveUnknownFields === true
      ? [invalid('spec.preserveUnknownFields', true, 'must be false')]
      : []),
  ];
}

function checkName({ metadata, spec }: CustomResourceDefinition): Cause[] {
  const name = metadata?.name ?? '';
  const expected = `${spec?.names?.plural ?? ''}.${spec?.group ?? ''}`;
  return name === expected
    ? []
    : [invalid('metadata.name', name, 'must be spec.names.plural+"."+spec.group')];
}

function checkSpec(spec: CrdSpec, old: CrdSpec | undefined): Cause[] {
  const { versions = [], names = {}, conversion } = spec;
  return [
    ...checkGroup(spec.group ?? ''),
    ...checkScope(spec.scope ?? ''),
    ...versions.flatMap((version, index) =>
      version.schema?.openAPIV3Schema === undefined
        ? [required(child(at('spec.versions', index), 'schema.openAPIV3Schema'), 'schemas are required')]
        : [],
    ),
    ...versions.flatMap((version, index) => checkVersion(version, versions, at('spec.versions', index), old)),
    ...checkVersionSet(versions),
    ...checkNames(names, 'spec.names'),
    ...checkCommonParts(versions, old),
    ...(conversion === undefined ? [] : checkConversion(conversion, 'spec.conversion')),
  ];
}

function checkGroup(group: string): Cause[] {
  if (group === '') return [required('spec.group')];
  const errors = subdomainErrors(group);
  if (errors.length > 0) return [invalid('spec.group', group, errors.join(','))];
  return group.includes('.')
    ? []
    : [invalid('spec.group', group, 'should be a domain with at least one dot')];
}

function checkScope(scope: string): Cause[] {
  if (scope === '') return [required('spec.scope')];
  const scopes = ['Cluster', 'Namespaced'];
  return scopes.includes(scope) ? [] : [notSupported('spec.scope', scope, scopes)];
}

/** Checks a version without the parts that are equal in all versions, which {@link checkCommonParts} checks once. */
function checkVersion(
  version: CrdVersion,
  versions: readonly CrdVersion[],
  path: string,
  old?: CrdSpec,
): Cause[] {
  const { name = '', subresources, additionalPrinterColumns: columns = [], selectableFields = [] } = version;
  const schema = version.schema?.openAPIV3Schema;
  const causes = [...checkLabel(child(path, 'name'), name), ...checkDeprecation(version, path)];
  if (schema !== undefined && !isCommon(versions, 'schema')) {
    causes.push(
      ...checkVersionSchema(version, child(path, 'schema.openAPIV3Schema'), isUnchanged(version, old)),
    );
  }
  if (subresources !== undefined && !isCommon(versions, 'subresources')) {
    causes.push(...checkSubresources(subresources, child(path, 'subresources')));
  }
  if (!isCommon(versions, 'additionalPrinterColumns')) {
    const field = child(path, 'additionalPrinterColumns');
    causes.push(...columns.flatMap((column, index) => checkColumn(column, at(field, index))));
  }
  if (selectableFields.length > 0 && !isCommon(versions, 'selectableFields')) {
    causes.push(...checkSelectableFields(selectableFields, schema, child(path, 'selectableFields')));
  }
  return causes;
}

function checkCommonParts(versions: readonly CrdVersion[], old: CrdSpec | undefined): Cause[] {
  const [version] = versions;
  if (version === undefined) return [];
  const { subresources = {}, additionalPrinterColumns: columns = [], selectableFields = [] } = version;
  return [
    ...(isCommon(versions, 'schema')
      ? checkVersionSchema(
          { ...version, subresources: versions.find(hasStatus)?.subresources ?? subresources },
          'spec.validation.openAPIV3Schema',
          isUnchanged(version, old),
        )
      : []),
    ...(isCommon(versions, 'subresources') ? checkSubresources(subresources, 'spec.subresources') : []),
    ...(isCommon(versions, 'additionalPrinterColumns')
      ? columns.flatMap((column, index) => checkColumn(column, at('spec.additionalPrinterColumns', index)))
      : []),
    ...(isCommon(versions, 'selectableFields')
      ? checkSelectableFields(selectableFields, version.schema?.openAPIV3Schema, 'spec.selectableFields')
      : []),
  ];
}

function hasStatus({ subresources }: CrdVersion): boolean {
  return subresources?.status !== undefined;
}

function isUnchanged(version: CrdVersion, old: CrdSpec | undefined): boolean {
  const before = old?.versions?.find(({ name }) => name === version.name);
  return before !== undefined && jsonEqual(before.schema, version.schema);
}

function checkVersionSet(versions: readonly CrdVersion[]): Cause[] {
  const shown = new RawJson(`[${versions.map(versionJson).join(',')}]`);
  const isUnique = new Set(versions.map(({ name }) => name)).size === versions.length;
  const storage = versions.filter((version) => version.storage === true).length;
  return [
    ...(isUnique ? [] : [invalid('spec.versions', shown, 'must contain unique version names')]),
    ...(storage === 1
      ? []
      : [invalid('spec.versions', shown, 'must have exactly one version marked as storage version')]),
  ];
}

/** Returns a version as Go prints it, without its schema. */
function versionJson({
  name = '',
  served = false,
  storage = false,
  deprecated = false,
  deprecationWarning,
}: CrdVersion): string {
  return goStructJson([
    ['Name', name],
    ['Served', served],
    ['Storage', storage],
    ['Deprecated', deprecated],
    ['DeprecationWarning', deprecationWarning ?? null],
    ['Schema', null],
    ['Subresources', null],
    ['AdditionalPrinterColumns', null],
    ['SelectableFields', null],
  ]);
}

function checkUpdate(spec: CrdSpec, old: CustomResourceDefinition): Cause[] {
  const before = old.spec ?? {};
  const fields: [string, unknown, unknown][] = [
    ...(isEstablished(old)
      ? ([
          ['spec.scope', spec.scope, before.scope],
          ['spec.names.kind', spec.names?.kind, before.names?.kind],
        ] satisfies [string, unknown, unknown][])
      : []),
    ['spec.group', spec.group, before.group],
    ['spec.names.plural', spec.names?.plural, before.names?.plural],
  ];
  return fields
    .filter(([, value, previous]) => value !== previous)
    .map(([field, value]) => invalid(field, value, 'field is immutable'));
}

function checkStoredVersions({ spec, status }: CustomResourceDefinition): Cause[] {
  const path = 'status.storedVersions';
  const { storedVersions = [] } = status ?? {};
  const versions = spec?.versions ?? [];
  if (storedVersions.length === 0)
    return [invalid(path, storedVersions, 'must have at least one stored version')];
  return [
    ...versions
      .filter(({ name = '', storage }) => storage === true && !storedVersions.includes(name))
      .map(({ name = '' }) => invalid(path, storedVersions, `must have the storage version ${name}`)),
    ...storedVersions.flatMap((stored, index) =>
      versions.some(({ name }) => name === stored)
        ? []
        : [
            invalid(
              at(path, index),
              stored,
              `missing from spec.versions; ${stored} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${stored} and removes ${stored} from status.storedVersions`,
            ),
          ],
    ),
  ];
}

/** Groups of the Kubernetes community need an annotation that names their approval. */
function checkApproval({ metadata, spec }: CustomResourceDefinition): Cause[] {
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(spec?.group ?? '')) return [];
  const field = key('metadata.annotations', approvalAnnotation);
  const approval = metadata?.annotations?.[approvalAnnotation] ?? '';
  const see = 'see https://github.com/kubernetes/enhancements/pull/1111';
  if (approval === '') {
    return [
      required(field, `protected groups must have approval annotation "${approvalAnnotation}", ${see}`),
    ];
  }
  if (approval.startsWith('unapproved') || URL.canParse(approval)) return [];
  const detail = `protected groups must have approval annotation "${approvalAnnotation}" with either a URL or a reason starting with "unapproved", ${see}`;
  return [invalid(field, approval, detail)];
}
