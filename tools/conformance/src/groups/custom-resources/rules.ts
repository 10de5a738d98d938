import { expect } from 'expect';
import type { Scope } from '../../suite/scope.js';
import { cause, define, objectOf, text, whole, type Cases, type Fields, type Widgets } from './definition.js';

type Rule = Fields & { rule: string };

/** Defines widgets whose spec has properties and rules. */
function withRules(scope: Scope, properties: Fields, ...rules: Rule[]): Promise<Widgets> {
  return define(scope, { spec: objectOf(properties, { 'x-kubernetes-validations': rules }) });
}

function ruled(schema: Fields, ...rules: Rule[]): Fields {
  return { ...schema, 'x-kubernetes-validations': rules };
}

const even = { rule: 'self % 2 == 0', message: 'must be even' };

/** Rules about `x-kubernetes-validations` as the server evaluates them. */
export const ruleCases: Cases = {
  'refuses objects that break a rule with its message': async (scope) => {
    const properties = { min: whole, max: whole };
    const widgets = await withRules(scope, properties, {
      rule: 'self.min <= self.max',
      message: 'min exceeds max',
    });
    const answer = await widgets.create('a', { spec: { min: 2, max: 1 } });
    expect(answer.status).toBe(422);
    expect(answer.body.message).toBe(
      `Widget.${widgets.group} "a" is invalid: spec: Invalid value: min exceeds max`,
    );
    expect(answer.body.details?.causes).toEqual([
      { reason: 'FieldValueInvalid', field: 'spec', message: 'Invalid value: min exceeds max' },
    ]);
    await widgets.make('a', { spec: { min: 1, max: 2 } });
  },

  'shows the value of a scalar that breaks a rule': async (scope) => {
    const name = ruled(text, { rule: "self != 'x'" });
    const widgets = await define(scope, { spec: objectOf({ count: ruled(whole, even), name }) });
    expect(await widgets.refused({ spec: { count: 3 } })).toEqual([
      { reason: 'FieldValueInvalid', field: 'spec.count', message: 'Invalid value: 3: must be even' },
    ]);
    expect(await widgets.refused({ spec: { name: 'x' } })).toEqual([
      {
        reason: 'FieldValueInvalid',
        field: 'spec.name',
        message: `Invalid value: "x": failed rule: self != 'x'`,
      },
    ]);
    await widgets.make('a', { spec: { count: 4, name: 'y' } });
  },

  'builds messages with messageExpression and falls back to message when it fails': async (scope) => {
    const widgets = await withRules(
      scope,
      { name: text, tags: { type: 'array', items: text } },
      {
        rule: "self.name.startsWith('team-')",
        messageExpression: "'name ' + self.name + ' must start with team-'",
      },
      {
        rule: 'size(self.tags) > 0',
        messageExpression: "'first is ' + self.tags[0]",
        message: 'tags are missing',
      },
    );
    expect(await widgets.refused({ spec: { name: 'bob', tags: [] } })).toEqual([
      cause('spec', 'Invalid value: name bob must start with team-'),
      cause('spec', 'Invalid value: tags are missing'),
    ]);
    await widgets.make('a', { spec: { name: 'team-a', tags: ['x'] } });
  },

  'places the cause of a rule by fieldPath and gives it the reason of the rule': async (scope) => {
    const rule = (name: string, reason?: string): Rule => ({
      rule: `!has(self.${name})`,
      message: `${name} is refused`,
      fieldPath: `.${name}`,
      ...(reason === undefined ? {} : { reason }),
    });
    const widgets = await withRules(
      scope,
      { a: text, b: text, c: text, d: text },
      rule('a'),
      rule('b', 'FieldValueForbidden'),
      rule('c', 'FieldValueRequired'),
      rule('d', 'FieldValueDuplicate'),
    );
    expect(await widgets.refused({ spec: { a: '', b: '', c: '', d: '' } })).toEqual([
      cause('spec.a', 'a is refused', 'FieldValueInvalid'),
      cause('spec.b', 'Forbidden: b is refused', 'FieldValueForbidden'),
      cause('spec.c', 'Required value: c is refused', 'FieldValueRequired'),
      cause('spec.d', 'Duplicate value', 'FieldValueDuplicate'),
    ]);
    await widgets.make('a', { spec: {} });
  },

  'answers with the reason of the first rule when all rules give the same': async (scope) => {
    const widgets = await withRules(
      scope,
      { a: text },
      { rule: '!has(self.a)', reason: 'FieldValueForbidden' },
    );
    const { status, body } = await widgets.create('x', { spec: { a: '' } });
    expect({ status, reason: body.reason }).toEqual({ status: 422, reason: 'Invalid' });
    expect(body.details?.causes).toEqual([
      cause('spec', 'Forbidden: failed rule: !has(self.a)', 'FieldValueForbidden'),
    ]);
    await widgets.make('x', { spec: {} });
  },

  'evaluates a rule for every item of a list and every value of a map': async (scope) => {
    const spec = objectOf({
      list: { type: 'array', items: ruled(whole, even) },
      map: { type: 'object', additionalProperties: ruled(whole, even) },
    });
    const widgets = await define(scope, { spec });
    expect(await widgets.refused({ spec: { list: [2, 3, 5] } })).toEqual([
      cause('spec.list[1]', 'Invalid value: 3: must be even'),
      cause('spec.list[2]', 'Invalid value: 5: must be even'),
    ]);
    expect(await widgets.refused({ spec: { map: { one: 1, two: 2 } } })).toEqual([
      cause('spec.map[one]', 'Invalid value: 1: must be even'),
    ]);
    await widgets.make('a', { spec: { list: [2], map: { two: 2 } } });
  },

  'evaluates a rule with oldSelf on updates only, and only where there is an old value': async (scope) => {
    const zone = ruled(text, { rule: 'self == oldSelf', message: 'zone is immutable' });
    const widgets = await define(scope, { spec: objectOf({ zone, size: text }) });
    await widgets.make('a', { spec: { size: 'S' } });
    expect((await widgets.merge('a', { spec: { zone: 'x' } })).status).toBe(200);
    const { status, body } = await widgets.merge('a', { spec: { zone: 'y' } });
    expect({ status, causes: body.details?.causes }).toEqual({
      status: 422,
      causes: [cause('spec.zone', 'Invalid value: "y": zone is immutable')],
    });
    expect((await widgets.merge('a', { spec: { zone: null } })).status).toBe(200);
    expect((await widgets.merge('a', { spec: { zone: 'y' } })).status).toBe(200);
  },

  'evaluates a rule with optionalOldSelf on creation too': async (scope) => {
    const once = {
      rule: "oldSelf.hasValue() ? self == oldSelf.value() : self == 'new'",
      optionalOldSelf: true,
    };
    const widgets = await define(scope, { spec: objectOf({ phase: ruled(text, once) }) });
    expect(await widgets.refused({ spec: { phase: 'old' } })).toHaveLength(1);
    await widgets.make('a', { spec: { phase: 'new' } });
    expect((await widgets.merge('a', { spec: { phase: 'other' } })).status).toBe(422);
    expect((await widgets.merge('a', { metadata: { labels: { a: 'b' } } })).status).toBe(200);
  },

  'finds the old value of an item of a list of type map by its keys': async (scope) => {
    const port = ruled(whole, { rule: 'self >= oldSelf', message: 'must not decrease' });
    const ports = {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: objectOf({ name: text, port }, { required: ['name'] }),
    };
    const widgets = await define(scope, { spec: objectOf({ ports }) });
    await widgets.make('a', {
      spec: {
        ports: [
          { name: 'x', port: 5 },
          { name: 'y', port: 1 },
        ],
      },
    });
    const change = (...value: Fields[]) => widgets.merge('a', { spec: { ports: value } });
    const { status, body } = await change({ name: 'z', port: 0 }, { name: 'x', port: 4 });
    expect({ status, causes: body.details?.causes }).toEqual({
      status: 422,
      causes: [cause('spec.ports[1].port', 'Invalid value: 4: must not decrease')],
    });
    expect(
      (await change({ name: 'y', port: 2 }, { name: 'x', port: 5 }, { name: 'z', port: 0 })).status,
    ).toBe(200);
  },

  'compares lists of type set without their order': async (scope) => {
    const same = { rule: 'self == oldSelf', message: 'must stay' };
    const set = { type: 'array', 'x-kubernetes-list-type': 'set', items: text };
    const list = { type: 'array', items: text };
    const widgets = await define(scope, {
      spec: objectOf({ set: ruled(set, same), list: ruled(list, same) }),
    });
    await widgets.make('a', { spec: { set: ['x', 'y'], list: ['x', 'y'] } });
    expect((await widgets.merge('a', { spec: { set: ['y', 'x'] } })).status).toBe(200);
    expect((await widgets.merge('a', { spec: { set: ['y'] } })).status).toBe(422);
    expect((await widgets.merge('a', { spec: { list: ['y', 'x'] } })).status).toBe(422);
  },

  'tolerates a broken rule on a value that an update leaves as it is': async (scope) => {
    const widgets = await define(scope, { spec: objectOf({ count: whole, size: text }) });
    await widgets.make('old', { spec: { count: 3 } });
    await widgets.redefine((version) => {
      const spec = objectOf({ count: ruled(whole, even), size: text });
      version['schema'] = { openAPIV3Schema: objectOf({ spec }) };
    });
    expect((await widgets.merge('old', { spec: { size: 'S' } })).status).toBe(200);
    expect((await widgets.merge('old', { spec: { count: 5 } })).status).toBe(422);
    expect((await widgets.merge('old', { spec: { count: 4 } })).status).toBe(200);
    expect((await widgets.merge('old', { spec: { count: 3 } })).status).toBe(422);
  },

  'lets a rule of the root read name and generateName': async (scope) => {
    const rule = { rule: "self.metadata.name.startsWith('w-')", message: 'names start with w-' };
    const widgets = await define(scope, { schema: ruled(objectOf({ spec: { type: 'object' } }), rule) });
    expect(await widgets.refused({}, 'x-1')).toEqual([cause('<nil>', 'Invalid value: names start with w-')]);
    await widgets.make('w-1');
  },

  'escapes property names that are not identifiers of CEL': async (scope) => {
    const properties = { 'dash-ed': text, 'do.t': text, in: text, a__b: text };
    const rule =
      "self.dash__dash__ed == 'a' && self.do__dot__t == 'b' && self.__in__ == 'c' && self.a__underscores__b == 'd'";
    const widgets = await withRules(scope, properties, { rule });
    const spec = { 'dash-ed': 'a', 'do.t': 'b', in: 'c', a__b: 'd' };
    await widgets.make('a', { spec });
    expect(await widgets.refused({ spec: { ...spec, in: 'x' } })).toHaveLength(1);
  },

  'refuses an object when a rule fails to evaluate': async (scope) => {
    const widgets = await withRules(
      scope,
      { tags: { type: 'array', items: text }, map: { type: 'object', additionalProperties: text }, a: text },
      { rule: "!has(self.tags) || self.tags[0] == 'x'" },
      { rule: "!has(self.map) || self.map['k'] == 'x'" },
      { rule: "has(self.tags) || has(self.map) || self.a == 'x'", message: 'a must be x' },
    );
    expect(await widgets.refused({ spec: { tags: [] } })).toEqual([
      cause('spec', "index out of bounds: 0 evaluating rule: !has(self.tags) || self.tags[0] == 'x'"),
    ]);
    expect(await widgets.refused({ spec: { map: {} } })).toEqual([
      cause('spec', "no such key: k evaluating rule: !has(self.map) || self.map['k'] == 'x'"),
    ]);
    expect(await widgets.refused({ spec: {} })).toEqual([
      cause('spec', 'no such key: a evaluating rule: a must be x'),
    ]);
    await widgets.make('a', { spec: { tags: ['x'] } });
  },

  'sees the value of x-kubernetes-int-or-string by its type': async (scope) => {
    const port = ruled(
      { 'x-kubernetes-int-or-string': true },
      { rule: "type(self) == int ? self > 0 : self.endsWith('%')", message: 'a positive number or percent' },
    );
    const widgets = await define(scope, { spec: objectOf({ port }) });
    await widgets.make('a', { spec: { port: 1 } });
    await widgets.make('b', { spec: { port: '10%' } });
    expect(await widgets.refused({ spec: { port: 0 } })).toEqual([
      cause('spec.port', 'a positive number or percent'),
    ]);
    expect(await widgets.refused({ spec: { port: '10' } })).toEqual([
      cause('spec.port', 'a positive number or percent'),
    ]);
  },

  'gives strings with the formats date-time, duration and byte the types of CEL': async (scope) => {
    const properties = {
      when: { ...text, format: 'date-time' },
      span: { ...text, format: 'duration' },
      bytes: { ...text, format: 'byte' },
    };
    const widgets = await withRules(
      scope,
      properties,
      { rule: "self.when > timestamp('2020-01-01T00:00:00Z') && self.when.getFullYear() == 2030" },
      { rule: "self.span >= duration('90m') && self.span.getHours() == 2" },
      { rule: "self.bytes == b'abc' && size(self.bytes) == 3" },
    );
    const spec = { when: '2030-01-02T03:04:05Z', span: '2h', bytes: 'YWJj' };
    await widgets.make('a', { spec });
    expect(await widgets.refused({ spec: { ...spec, when: '2010-01-02T03:04:05Z' } })).toHaveLength(1);
    expect(await widgets.refused({ spec: { ...spec, span: '1h' } })).toHaveLength(1);
    expect(await widgets.refused({ spec: { ...spec, bytes: 'YWJk' } })).toHaveLength(1);
  },

  'checks the rules of status when the status is written': async (scope) => {
    const status = objectOf({ count: ruled(whole, even) });
    const widgets = await define(scope, { status, version: { subresources: { status: {} } } });
    await widgets.make('a');
    const { body } = await widgets.merge('a/status', { status: { count: 3 } });
    expect(body).toMatchObject({ code: 422, details: { causes: [cause('status.count', 'must be even')] } });
    expect((await widgets.merge('a/status', { status: { count: 4 } })).status).toBe(200);
  },
};
