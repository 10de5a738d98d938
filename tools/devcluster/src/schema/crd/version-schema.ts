import { forbidden, invalid } from '../field-error.js';
import { JsonMemo } from '../json-memo.js';
import type { Cause, Schema } from '../types.js';
import { RuleAdmission } from './cel-rules.js';
import { checkDefaults } from './default-values.js';
import type { CrdVersion } from './model.js';
import { checkSchemaRules } from './schema-rules.js';
import { checkStructural } from './structural.js';

/**
 * Fields of the root schema that are allowed with a `status` subresource, because the schema of `status` is then also
 * used alone.
 */
const rootKeywords =
  'Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations'.split(
    ' ',
  );

/** A definition is checked again each time its status is written. */
const knownCauses = new JsonMemo<readonly Cause[]>();

/**
 * Checks the schema of a version: that it is structural, that its defaults are valid, how it uses OpenAPI, and its
 * rules with their cost.
 *
 * @param isUnchanged whether an update does not change the schema, so that the cost of a single rule is not limited.
 */
export function checkVersionSchema(
  version: CrdVersion,
  path: string,
  isUnchanged: boolean,
): readonly Cause[] {
  const schema = version.schema?.openAPIV3Schema;
  if (schema === undefined) return [];
  const hasStatus = version.subresources?.status !== undefined;
  return knownCauses.of([schema, path, hasStatus, isUnchanged], () =>
    checkSchema(schema, path, { hasStatus, isUnchanged }),
  );
}

interface SchemaUse {
  hasStatus: boolean;
  isUnchanged: boolean;
}

function checkSchema(schema: Schema, path: string, { hasStatus, isUnchanged }: SchemaUse): Cause[] {
  const causes = hasStatus ? checkRoot(schema, path) : [];
  if (schema.nullable === true)
    causes.push(forbidden(`${path}.nullable`, 'nullable cannot be true at the root'));
  const structural = checkStructural(schema, path);
  const defaults = structural.length > 0 ? [] : checkDefaults(schema, path);
  const isSound = structural.length === 0 && defaults.length === 0;
  const rules = isSound ? new RuleAdmission(schema, !isUnchanged) : undefined;
  return [
    ...causes,
    ...structural,
    ...defaults,
    ...checkSchemaRules(schema, path, rules),
    ...(rules?.totalCauses(path) ?? []),
  ];
}

function checkRoot(schema: Schema, path: string): Cause[] {
  if (schema.type !== undefined && schema.type !== 'object') {
    const detail =
      'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    return [invalid(`${path}.type`, schema.type, detail)];
  }
  const strange = Object.entries(schema).some(
    ([name, value]) => value !== false && !rootKeywords.includes(goName(name)),
  );
  if (!strange) return [];
  const detail = `only [${rootKeywords.join(' ')}] fields are allowed at the root of the schema if the status subresource is enabled`;
  return [invalid(path, schema, detail)];
}

/** Returns the name of a field in Go: `x-kubernetes-preserve-unknown-fields` → `XPreserveUnknownFields`. */
function goName(keyword: string): string {
  return keyword
    .replace(/^x-kubernetes-/, 'x-')
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
