import { expect } from 'expect';
import { cause, define, objectOf, type Cases, type Fields } from './definition.js';

/** The reason of a cause about the type of a value. */
export const type = 'FieldValueTypeInvalid';
/** Returns the cause of a missing field. */
export const required = (field: string): object => cause(field, 'Required value', 'FieldValueRequired');
/** Returns a cause without a field; the message itself names the field. */
export const unplaced = (message: string): object => cause('<nil>', message);

/** A value that a schema accepts, a value that it refuses, and the causes of the refusal. */
interface Sample {
  schema: Fields;
  good: unknown;
  bad: unknown;
  causes: object[];
}

/** Returns a case that creates an object with all good values, and tries to create an object for each bad value. */
export function samples(all: Readonly<Record<string, Sample>>): Cases[string] {
  return async (scope) => {
    const schemas = Object.entries(all).map(([name, { schema }]) => [name, schema] as const);
    const widgets = await define(scope, { spec: objectOf(Object.fromEntries(schemas)) });
    const good = Object.fromEntries(Object.entries(all).map(([name, sample]) => [name, sample.good]));
    const { body } = await scope.api.post(widgets.list(), widgets.object('good', { spec: good }));
    expect(body).toMatchObject({ kind: 'Widget', spec: good });
    for (const [name, { bad, causes }] of Object.entries(all)) {
      expect(await widgets.refused({ spec: { [name]: bad } }, name.toLowerCase())).toEqual(causes);
    }
  };
}
