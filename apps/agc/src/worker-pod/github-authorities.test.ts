import { describe, expect, it } from '@jest/globals';
import { parseAuthoritiesRef } from './github-authorities.js';

describe('parseAuthoritiesRef', () => {
  it.each([
    ['', undefined],
    ['ConfigMap/github-ca/ca.crt', { kind: 'ConfigMap', name: 'github-ca', key: 'ca.crt' }],
    ['Secret/a.b/Root_1.pem', { kind: 'Secret', name: 'a.b', key: 'Root_1.pem' }],
  ])('reads %j', (text, ref) => {
    expect(parseAuthoritiesRef(text)).toEqual(ref);
  });

  it.each(['github-ca', 'Pod/github-ca/ca.crt', 'ConfigMap/../ca.crt', 'ConfigMap/a/../../b', 'Secret/a/'])(
    'refuses %j and names the form',
    (text) => {
      expect(() => parseAuthoritiesRef(text)).toThrow('write one such as ConfigMap/github-ca/ca.crt');
    },
  );
});
