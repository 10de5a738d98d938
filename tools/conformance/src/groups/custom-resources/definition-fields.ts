import { expect } from 'expect';
import { cause, check, objectOf, text, type Cases, type Fields } from './definition.js';

/** Rules about print columns, subresources, selectable fields and the conversion of a definition. */
export const definitionFieldCases: Cases = {
  'refuses print columns without a name, a known type or a path': async (scope) => {
    const column = { name: 'Size', type: 'string', jsonPath: '.spec.size' };
    const columns = (...additionalPrinterColumns: Fields[]) =>
      check(scope, { version: { additionalPrinterColumns } });
    expect(await columns(column, { ...column, type: 'colour' })).toEqual([
      cause('spec.additionalPrinterColumns[1].type', 'must be one of boolean,date,integer,number,string'),
    ]);
    expect(await columns({ ...column, jsonPath: 'spec.size' })).toEqual([
      cause('spec.additionalPrinterColumns[0].JSONPath', 'must be a simple json path starting with .'),
    ]);
    expect(await columns({ ...column, name: '' })).toEqual([
      cause('spec.additionalPrinterColumns[0].name', 'Required value', 'FieldValueRequired'),
    ]);
    expect(await columns(column)).toEqual([]);
  },

  'refuses scale paths outside of spec and status': async (scope) => {
    const scale = (fields: Fields) =>
      check(scope, {
        version: {
          subresources: {
            status: {},
            scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas', ...fields },
          },
        },
      });
    expect(await scale({ specReplicasPath: '.status.replicas' })).toEqual([
      cause('spec.subresources.scale.specReplicasPath', 'should be a json path under .spec'),
    ]);
    expect(await scale({ statusReplicasPath: '.spec.replicas' })).toEqual([
      cause('spec.subresources.scale.statusReplicasPath', 'should be a json path under .status'),
    ]);
    expect(await scale({ labelSelectorPath: '.metadata.labels' })).toEqual([
      cause(
        'spec.subresources.scale.labelSelectorPath',
        'should be a json path under either .spec or .status',
      ),
    ]);
    expect(await scale({ labelSelectorPath: '.status.selector' })).toEqual([]);
  },

  'refuses selectable fields that the schema does not describe as scalars': async (scope) => {
    const spec = objectOf({ size: text, parts: { type: 'array', items: text } });
    const fields = (...paths: string[]) =>
      check(scope, { spec, version: { selectableFields: paths.map((jsonPath) => ({ jsonPath })) } });
    expect(await fields('.spec.colour')).toEqual([
      cause('spec.selectableFields[0].jsonPath', 'is an invalid path'),
    ]);
    expect(await fields('.spec.parts')).toEqual([
      cause('spec.selectableFields[0].jsonPath', 'must point to a field of type string, boolean or integer'),
    ]);
    expect(await fields('.spec.size', '.spec.size')).toEqual([
      cause('spec.selectableFields[1].jsonPath', 'Duplicate value', 'FieldValueDuplicate'),
    ]);
    expect(await fields('.metadata.name')).toEqual([
      cause('spec.selectableFields[0].jsonPath', 'is an invalid path'),
    ]);
    expect(await fields('.spec.size')).toEqual([]);
  },

  'refuses a conversion webhook without a client configuration': async (scope) => {
    const conversion = (fields: Fields) => check(scope, { more: { conversion: fields } });
    expect(await conversion({ strategy: 'Magic' })).toEqual([
      cause('spec.conversion.strategy', 'supported values: "None", "Webhook"', 'FieldValueNotSupported'),
    ]);
    expect(await conversion({ strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'] } })).toEqual([
      cause(
        'spec.conversion.webhookClientConfig',
        'required when strategy is set to Webhook',
        'FieldValueRequired',
      ),
    ]);
    expect(await conversion({ strategy: 'None' })).toEqual([]);
  },
};
