import { globalsKey } from './runtime.mjs';

/**
 * Returns a proxy for a function of the running test file, because modules that import it are loaded once for many test
 * files.
 */
function current(name) {
  return new Proxy(Function.prototype, {
    apply: (_target, _self, args) => globalThis[globalsKey][name](...args),
    get: (_target, key) => globalThis[globalsKey][name][key],
  });
}

export const afterAll = current('afterAll');
export const afterEach = current('afterEach');
export const beforeAll = current('beforeAll');
export const beforeEach = current('beforeEach');
export const describe = current('describe');
export const expect = current('expect');
export const it = current('it');
export const test = current('test');
