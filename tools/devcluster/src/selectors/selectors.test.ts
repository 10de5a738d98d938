import { describe, expect, it } from '@jest/globals';
import { builtinKinds } from '../builtin/index.js';
import type { KubeObject } from '../object.js';
import { compileFieldSelector } from './fields.js';
import { labelSelectorRequirements, matchesLabels, parseLabelSelector } from './labels.js';

const labels = { app: 'web', tier: 'front', n: '5', empty: '' };

describe('parseLabelSelector', () => {
  it.each([
    ['', true],
    ['app', true],
    ['none', false],
    ['!none', true],
    ['!app', false],
    ['app=web', true],
    ['app==web', true],
    ['app!=web', false],
    ['none!=web', true],
    ['empty=', true],
    ['app=', false],
    ['app in (web,api), tier', true],
    ['app in (api)', false],
    ['app notin (api)', true],
    ['none notin (api)', true],
    ['n>4,n<6', true],
    ['n>5', false],
    ['app>1', false],
    [' app = web , tier != back ', true],
    ['example.dev/part-of=x', false],
  ])('parses %j', (selector, expected) => {
    expect(matchesLabels(parseLabelSelector(selector), labels)).toBe(expected);
  });

  it.each([
    ['a===b', `unable to parse requirement: found '=', expected: identifier`],
    ['a b', `unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt`],
    ['a,', `found '', expected: identifier after ','`],
    ['=a', `found '=', expected: !, identifier, or 'end of string'`],
    ['a in b', `unable to parse requirement: found 'b' expected: '('`],
  ])('refuses %j', (selector, message) => {
    expect(() => parseLabelSelector(selector)).toThrow(expect.objectContaining({ code: 400, message }));
  });
});

describe('labelSelectorRequirements', () => {
  it('combines labels and expressions', () => {
    const selector = {
      matchLabels: { app: 'web' },
      matchExpressions: [
        { key: 'tier', operator: 'In', values: ['front'] },
        { key: 'none', operator: 'DoesNotExist' },
      ],
    };
    expect(matchesLabels(labelSelectorRequirements(selector), labels)).toBe(true);
    expect(matchesLabels(labelSelectorRequirements(selector), { ...labels, none: '' })).toBe(false);
  });
});

describe('compileFieldSelector', () => {
  const pods = builtinKinds.find(({ plural }) => plural === 'pods')!;
  const pod: KubeObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'ns' },
    spec: { nodeName: 'n,1' },
    status: { phase: 'Running' },
  };

  it.each([
    ['metadata.name=p', true],
    ['metadata.name!=p', false],
    ['metadata.namespace==ns,status.phase=Running', true],
    ['status.phase=Running,status.phase!=Running', false],
    ['spec.nodeName=n\\,1', true],
  ])('compiles %j', (selector, expected) => {
    expect(compileFieldSelector(selector, pods).matches(pod)).toBe(expected);
  });

  it.each([
    ['spec.image=x', 'field label not supported: spec.image'],
    ['phase', `invalid selector: 'phase'; can't understand 'phase'`],
  ])('refuses %j', (selector, message) => {
    expect(() => compileFieldSelector(selector, pods)).toThrow(
      expect.objectContaining({ code: 400, message }),
    );
  });
});
