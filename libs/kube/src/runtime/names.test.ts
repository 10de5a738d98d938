import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { childName, labelValue } from './names.js';

describe('childName', () => {
  it.each([
    [['webapp', 'prod'], 'webapp-prod'],
    [['webapp', 'prod', '1'], 'webapp-prod-1'],
    [['webapp', 'env/prod'], /^webapp-env-prod-[0-9a-f]{8}$/],
    [['Webapp', 'prod'], /^webapp-prod-[0-9a-f]{8}$/],
    [['web.app', 'prod'], /^web-app-prod-[0-9a-f]{8}$/],
    [['webapp', ''], /^webapp-[0-9a-f]{8}$/],
    [['ü', 'ß'], /^x-[0-9a-f]{8}$/],
    [['a'.repeat(60), 'prod'], /^a{54}-[0-9a-f]{8}$/],
  ])('returns a name for the parts %j', (parts, expected) => {
    const [parent, ...rest] = parts;
    expect(childName(parent!, ...rest)).toMatch(
      typeof expected === 'string' ? new RegExp(`^${expected}$`) : expected,
    );
  });

  it('returns a DNS-1123 label that is equal for equal parts, and distinct for parts that look alike', () => {
    const part = fc.string({ unit: 'binary', minLength: 1, maxLength: 80 });
    fc.assert(
      fc.property(part, part, (parent, child) => {
        const name = childName(parent, child);
        expect(name).toMatch(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/);
        expect(childName(parent, child)).toBe(name);
        expect(childName(parent, `${child}/`)).not.toBe(name);
      }),
    );
  });
});

describe('labelValue', () => {
  it.each([
    ['', ''],
    ['main', 'main'],
    ['Release_1.2', 'Release_1.2'],
    ['env/prod', /^env-prod-[0-9a-f]{8}$/],
    ['-x', /^x-[0-9a-f]{8}$/],
    ['b'.repeat(63), 'b'.repeat(63)],
    ['b'.repeat(64), /^b{54}-[0-9a-f]{8}$/],
  ])('returns a label value for %j', (text, expected) => {
    expect(labelValue(text)).toMatch(typeof expected === 'string' ? new RegExp(`^${expected}$`) : expected);
  });

  it('reads a long run of characters that must not end a name in one pass', () => {
    expect(labelValue(`${'_'.repeat(500_000)}a`)).toMatch(/^a-[0-9a-f]{8}$/);
    expect(labelValue(`a${'_'.repeat(500_000)}b`)).toMatch(/^a-[0-9a-f]{8}$/);
    expect(childName(`a${'-'.repeat(500_000)}b`)).toMatch(/^a-[0-9a-f]{8}$/);
  });

  it('always returns a valid label value', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) =>
        expect(labelValue(text)).toMatch(/^(([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9])?$/),
      ),
    );
  });
});
