import { normalizeFieldPath } from '../cel/field-path.js';
import { duplicate, invalid, required, tooMany } from '../field-error.js';
import { at, child } from '../path.js';
import type { Cause, Schema } from '../types.js';
import type { CrdColumn, CrdSubresources, CrdVersion } from './model.js';

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];
const selectableTypes = ['string', 'boolean', 'integer'];
const maxSelectableFields = 8;
const maxWarningLength = 256;

/** Checks the deprecation warning of a version. */
export function checkDeprecation(version: CrdVersion, path: string): Cause[] {
  const { deprecationWarning: warning } = version;
  if (warning === undefined) return [];
  const field = child(path, 'deprecationWarning');
  if (version.deprecated !== true)
    return [invalid(field, warning, 'can only be set for deprecated versions')];
  const problems = [
    ...(warning.length > maxWarningLength ? [`must be <= ${maxWarningLength} characters long`] : []),
    ...(warning === '' ? ['must not be an empty string'] : []),
  ];
  const strange = warning.search(/[\p{C}\p{Zl}\p{Zp}]/u);
  if (strange >= 0) {
    problems.push(
      `must only contain printable UTF-8 characters; non-printable character found at index ${strange}`,
    );
  }
  return problems.map((problem) => invalid(field, warning, problem));
}

/** Checks the paths of the scale subresource. */
export function checkSubresources({ scale }: CrdSubresources, path: string): Cause[] {
  if (scale === undefined) return [];
  const { specReplicasPath = '', statusReplicasPath = '', labelSelectorPath = '' } = scale;
  return [
    ...checkReplicas(specReplicasPath, '.spec', child(path, 'scale.specReplicasPath')),
    ...checkReplicas(statusReplicasPath, '.status', child(path, 'scale.statusReplicasPath')),
    ...checkSelector(labelSelectorPath, child(path, 'scale.labelSelectorPath')),
  ];
}

function checkReplicas(text: string, above: string, field: string): Cause[] {
  if (text === '') return [required(field)];
  const causes = checkJsonPath(text, field);
  if (causes.length > 0 || text.startsWith(`${above}.`)) return causes;
  return [invalid(field, text, `should be a json path under ${above}`)];
}

function checkSelector(text: string, field: string): Cause[] {
  if (text === '') return [];
  const causes = checkJsonPath(text, field);
  if (causes.length > 0 || text.startsWith('.spec.') || text.startsWith('.status.')) return causes;
  return [invalid(field, text, 'should be a json path under either .spec or .status')];
}

function checkJsonPath(text: string, field: string): Cause[] {
  return text.startsWith('.') ? [] : [invalid(field, text, 'must be a simple json path starting with .')];
}

/** Checks one print column. */
export function checkColumn(column: CrdColumn, path: string): Cause[] {
  const { name = '', type = '', format = '', jsonPath = '' } = column;
  const causes = name === '' ? [required(child(path, 'name'))] : [];
  const types = `must be one of ${columnTypes.join(',')}`;
  if (type === '') causes.push(required(child(path, 'type'), types));
  else if (!columnTypes.includes(type)) causes.push(invalid(child(path, 'type'), type, types));
  if (format !== '' && !columnFormats.includes(format)) {
    causes.push(invalid(child(path, 'format'), format, `must be one of ${columnFormats.join(',')}`));
  }
  const field = child(path, 'JSONPath');
  return [...causes, ...(jsonPath === '' ? [required(field)] : checkJsonPath(jsonPath, field))];
}

/** Checks the fields by which a field selector may select. */
export function checkSelectableFields(
  fields: readonly { jsonPath?: string }[],
  schema: Schema | undefined,
  path: string,
): Cause[] {
  if (schema === undefined) {
    const detail = 'selectableFields may only be set when version.schema.openAPIV3Schema is not included';
    return [invalid(path, '', detail)];
  }
  const seen = new Set<string>();
  const causes = fields.flatMap(({ jsonPath = '' }, index) => {
    const field = child(at(path, index), 'jsonPath');
    if (jsonPath === '') return [required(field)];
    const target = normalizeFieldPath(jsonPath, schema, { brackets: false });
    if (target === undefined) {
      const problem = jsonPath.includes('[')
        ? 'array notation is not allowed'
        : 'does not refer to a valid field';
      return [invalid(field, jsonPath, `is an invalid path: ${problem}`)];
    }
    const found: Cause[] = [];
    if (/^metadata(\.|$)/.test(target.path)) {
      found.push(invalid(field, jsonPath, 'must not point to fields in metadata'));
    }
    if (!selectableTypes.includes(target.schema.type ?? '')) {
      const detail =
        'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
      found.push(invalid(field, jsonPath, detail));
    }
    if (seen.has(target.path)) found.push(duplicate(field, jsonPath));
    seen.add(target.path);
    return found;
  });
  return seen.size > maxSelectableFields
    ? [...causes, tooMany(path, seen.size, maxSelectableFields)]
    : causes;
}
